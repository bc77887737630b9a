import {
  type CSSVariablesResolver,
  createTheme,
  defaultVariantColorsResolver,
  type MantineColorsTuple,
  type VariantColorsResolver,
} from '@mantine/core';

/** The barrier's post: everything one may press. */
const pine: MantineColorsTuple = [
  '#e9f6f0',
  '#d0eadf',
  '#a4d8c3',
  '#74c5a6',
  '#4bb38d',
  '#2a9e77',
  '#14896a',
  '#0b7259',
  '#0a5f4b',
  '#064436',
];

/** The barrier's stripes: what wants a look, never a button. */
const amber: MantineColorsTuple = [
  '#fff6e0',
  '#fdebc2',
  '#fadb93',
  '#f7ca62',
  '#f5b52e',
  '#e09c10',
  '#b57a05',
  '#8a5b02',
  '#6e4802',
  '#4d3202',
];

/** Stone greys with a little green in them; step 6 upward is readable on white. */
const gray: MantineColorsTuple = [
  '#f6f8f6',
  '#eef1ee',
  '#e3e8e4',
  '#d3dad5',
  '#b6c0ba',
  '#87948d',
  '#5a6862',
  '#404d47',
  '#29332e',
  '#161d19',
];

/** Night: text at 0, dimmed text at 2, lines at 4, cards at 7, the ground at 9. */
const dark: MantineColorsTuple = [
  '#dfe8e3',
  '#c2cdc7',
  '#9dada5',
  '#73827a',
  '#36443d',
  '#2a3630',
  '#1f2924',
  '#161e1a',
  '#111814',
  '#0c110f',
];

const systemFonts =
  'Inter, ui-sans-serif, system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif';

/** What cannot be undone is as red at night as by day: on the lighter red of the dark scheme its white words could not be read. */
const danger = { background: 'var(--mantine-color-red-8)', hover: 'var(--mantine-color-red-9)', color: '#ffffff' };

/** Mantine picks the text of a filled button from the light scheme's shade; ours must follow the scheme. */
const variantColorResolver: VariantColorsResolver = (input) => {
  const colors = defaultVariantColorsResolver(input);
  if (input.variant !== 'filled') return colors;
  if (input.color === 'red') return { ...colors, ...danger };
  return input.color === 'pine' ? { ...colors, color: 'var(--mantine-primary-color-contrast)' } : colors;
};

/** Colours, type and spacing of the dashboard: one scale each. */
export const theme = createTheme({
  primaryColor: 'pine',
  primaryShade: { light: 7, dark: 4 },
  autoContrast: true,
  luminanceThreshold: 0.3,
  variantColorResolver,
  colors: { pine, amber, gray, dark },
  white: '#ffffff',
  black: '#161d19',
  fontFamily: systemFonts,
  fontFamilyMonospace: 'ui-monospace, "SF Mono", "Cascadia Code", Menlo, Consolas, "DejaVu Sans Mono", monospace',
  fontSizes: { xs: '0.75rem', sm: '0.875rem', md: '1rem', lg: '1.125rem', xl: '1.375rem' },
  spacing: { xs: '0.5rem', sm: '0.75rem', md: '1rem', lg: '1.5rem', xl: '2rem' },
  headings: {
    fontFamily: systemFonts,
    fontWeight: '650',
    textWrap: 'balance',
    sizes: {
      h1: { fontSize: '1.75rem', lineHeight: '1.2' },
      h2: { fontSize: '1.0625rem', lineHeight: '1.35' },
      h3: { fontSize: '0.9375rem', lineHeight: '1.4' },
    },
  },
  radius: { xs: '4px', sm: '6px', md: '10px', lg: '14px', xl: '20px' },
  defaultRadius: 'md',
  cursorType: 'pointer',
  respectReducedMotion: true,
  components: {
    Modal: {
      styles: { title: { fontWeight: 650, fontSize: '1.125rem' } },
      defaultProps: { centered: true, radius: 'lg', closeButtonProps: { 'aria-label': 'Close' } },
    },
    Drawer: {
      styles: { title: { fontWeight: 650, fontSize: '1.125rem' } },
      defaultProps: { position: 'right', closeButtonProps: { 'aria-label': 'Close' } },
    },
    Notification: { defaultProps: { closeButtonProps: { 'aria-label': 'Dismiss' } } },
    // Else the choices of each closed field are drawn with the page that it stands on.
    Combobox: { defaultProps: { keepMounted: false } },
    // What stands on a page from the start is read in its place; what comes of an act says `alert` or `status` itself.
    Alert: { defaultProps: { role: 'note' } },
    TextInput: { defaultProps: { size: 'md' } },
    PasswordInput: { defaultProps: { size: 'md' } },
  },
});

/** Makes dimmed text and placeholders readable (4.5 : 1) in both schemes. */
export const cssVariablesResolver: CSSVariablesResolver = () => ({
  variables: {},
  light: {
    '--mantine-color-dimmed': gray[6],
    '--mantine-color-placeholder': gray[6],
    '--mantine-color-default-border': gray[3],
    '--mantine-color-error': '#b42318',
  },
  dark: {
    '--mantine-color-dimmed': dark[2],
    '--mantine-color-placeholder': dark[2],
    '--mantine-color-default-border': dark[4],
    '--mantine-primary-color-contrast': dark[9],
    '--mantine-color-default': dark[6],
    '--mantine-color-default-hover': dark[5],
    '--mantine-color-error': '#ff9c92',
    // Mantine's tints for the dark scheme are darker than our cards, which makes a button look switched off.
    '--mantine-color-pine-light': 'rgba(75, 179, 141, 0.17)',
    '--mantine-color-pine-light-hover': 'rgba(75, 179, 141, 0.25)',
    '--mantine-color-pine-light-color': pine[2],
    '--mantine-color-amber-light': 'rgba(245, 181, 46, 0.14)',
    '--mantine-color-amber-light-color': amber[2],
    '--mantine-color-red-light': 'rgba(229, 72, 77, 0.16)',
    '--mantine-color-red-light-color': '#ffc9c4',
    '--mantine-color-gray-light': 'rgba(157, 173, 165, 0.12)',
    '--mantine-color-gray-light-hover': 'rgba(157, 173, 165, 0.2)',
    '--mantine-color-gray-light-color': dark[0],
  },
});
