/** Whatever look the screen has, the page is printed in the light one, whose texts are readable on paper. */
export function printInLight(): void {
  const { dataset } = document.documentElement;
  let onScreen: string | undefined;
  window.addEventListener('beforeprint', () => {
    onScreen ??= dataset.mantineColorScheme;
    dataset.mantineColorScheme = 'light';
  });
  window.addEventListener('afterprint', () => {
    if (onScreen !== undefined) dataset.mantineColorScheme = onScreen;
    onScreen = undefined;
  });
}
