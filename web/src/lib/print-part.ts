/** Prints what has the class `print-part`, without the rest of the page; `global.css` hides that for as long. */
export function printPart(): void {
  const page = document.documentElement;
  page.dataset.prints = 'part';
  window.addEventListener('afterprint', () => delete page.dataset.prints, { once: true });
  window.print();
}
