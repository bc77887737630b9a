/** Stands for every file of styles in tests: the class `field` is called `field`. */
const names: Readonly<Record<string, string>> = new Proxy({}, { get: (_target, name) => String(name) });

export default names;
