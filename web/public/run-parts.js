// Runs the parts of the page's first script (`bundle/run-in-parts.ts`), which are on their way already, one after the other and each in a
// task of its own. The browser by itself would run them in one, and a telephone answers to nobody for so long.
for (const { href } of document.querySelectorAll('link[data-part]')) await import(href);
