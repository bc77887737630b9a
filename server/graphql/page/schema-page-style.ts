/** The only style of the schema's page, in the dashboard's colours; the page's policy names it by its hash. */
export const schemaPageStyle = `
:root { color-scheme: light dark; --ground: light-dark(#f3f6f3, #0c110f); --card: light-dark(#fff, #161e1a); --line: light-dark(#d9e0db, #26312b); --text: light-dark(#161d19, #dfe8e3); --dimmed: light-dark(#5a6862, #9dada5); --link: light-dark(#0b7259, #74c5a6); }
* { box-sizing: border-box; }
html { scroll-padding-top: 76px; }
body { margin: 0; font: 16px/1.55 system-ui, sans-serif; background: var(--ground); color: var(--text); display: grid; grid-template-columns: 17rem minmax(0, 1fr); }
header { grid-column: 1 / -1; position: sticky; top: 0; z-index: 1; display: flex; flex-wrap: wrap; align-items: center; gap: 6px 16px; min-height: 60px; padding: 6px 20px; background: var(--card); border-bottom: 1px solid var(--line); font-size: 0.9375rem; }
header a { color: var(--text); font-weight: 600; text-decoration: none; }
header a:first-child { display: flex; align-items: center; gap: 10px; margin-right: auto; font-size: 1.125rem; font-weight: 700; letter-spacing: -0.02em; }
header a:hover { color: var(--link); }
nav { position: sticky; top: 60px; max-height: calc(100vh - 60px); padding: 24px 12px 24px 20px; overflow-y: auto; font-size: 0.9rem; }
nav ul { list-style: none; margin: 0; padding: 0; }
nav a { display: block; padding: 3px 10px; border-radius: 6px; color: var(--dimmed); text-decoration: none; overflow-wrap: anywhere; }
nav a:hover { background: var(--line); color: var(--text); }
nav h2 { font-size: 0.8rem; margin: 1.25rem 10px 0.25rem; }
nav h2:first-child { margin-top: 0; }
main { padding: 32px clamp(16px, 4vw, 32px) 64px; max-width: 62rem; }
h1 { margin: 0 0 0.5rem; font-size: 1.75rem; letter-spacing: -0.02em; }
section, .introduction { margin-top: 20px; padding: 8px 24px 16px; background: var(--card); border: 1px solid var(--line); border-radius: 14px; }
a { color: var(--link); }
:focus-visible { outline: 2px solid var(--link); outline-offset: 2px; }
article { border-top: 1px solid var(--line); padding: 0.5rem 0; }
h3 { font: 600 1.05rem/1.4 ui-monospace, monospace; overflow-wrap: anywhere; }
small { color: var(--dimmed); font-weight: 400; }
code { font: 0.9em/1.5 ui-monospace, monospace; overflow-wrap: anywhere; }
pre { background: light-dark(#101815, #090e0c); color: #dbe7e1; border-radius: 10px; padding: 12px 16px; overflow-x: auto; user-select: all; }
pre code { overflow-wrap: normal; }
dl { margin: 0; }
dt { margin-top: 0.5rem; }
dd { margin: 0 0 0 1.25rem; }
summary { cursor: pointer; color: var(--link); }
@media (max-width: 48rem) { body { display: block; } html { scroll-padding-top: 16px; } header { position: static; } nav { position: static; max-height: 14rem; margin: 16px 16px 24px; background: var(--card); border: 1px solid var(--line); border-radius: 14px; } main { padding-top: 0; } section, .introduction { padding-inline: 16px; } }
@media print { nav { display: none; } body { display: block; } header { position: static; } }
`;
