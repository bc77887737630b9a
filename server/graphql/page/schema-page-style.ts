/** The only style of the schema's page; the page's policy names it by its hash. */
export const schemaPageStyle = `
:root { color-scheme: light dark; --line: light-dark(#d9dde3, #343a42); --soft: light-dark(#f4f6f8, #1c2126); --link: light-dark(#0b5cad, #7fb8f5); }
* { box-sizing: border-box; }
body { margin: 0; font: 16px/1.5 system-ui, sans-serif; background: light-dark(#fff, #14181c); color: light-dark(#1a1d21, #e4e8ec); display: grid; grid-template-columns: 16rem minmax(0, 1fr); }
nav { border-right: 1px solid var(--line); padding: 1rem; position: sticky; top: 0; max-height: 100vh; overflow-y: auto; font-size: 0.9rem; }
nav ul { list-style: none; margin: 0; padding: 0; }
nav h2 { font-size: 0.8rem; margin: 1rem 0 0.25rem; }
main { padding: 1rem clamp(1rem, 4vw, 3rem) 4rem; max-width: 60rem; }
a { color: var(--link); }
article { border-top: 1px solid var(--line); padding: 0.5rem 0; scroll-margin-top: 1rem; }
h3 { font: 600 1.05rem/1.4 ui-monospace, monospace; overflow-wrap: anywhere; }
small { color: light-dark(#59626c, #9aa4ae); font-weight: 400; }
code { font: 0.9em/1.5 ui-monospace, monospace; overflow-wrap: anywhere; }
pre { background: var(--soft); border: 1px solid var(--line); border-radius: 6px; padding: 0.75rem; overflow-x: auto; user-select: all; }
pre code { overflow-wrap: normal; }
dl { margin: 0; }
dt { margin-top: 0.5rem; }
dd { margin: 0 0 0 1.25rem; }
summary { cursor: pointer; color: var(--link); }
@media (max-width: 48rem) { body { display: block; } nav { position: static; max-height: none; border-right: 0; border-bottom: 1px solid var(--line); columns: 2; } }
`;
