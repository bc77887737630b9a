/** What Stripe's clients send: `a[b][0]=c`. A list is an object with its places as names. */
export interface Form {
  readonly [name: string]: string | Form | undefined;
}

/** Reads a body or a query in the form that Stripe's API takes. */
export function readForm(text: string): Form {
  const root: Record<string, unknown> = {};
  for (const [path, value] of new URLSearchParams(text)) {
    const names = path.split(/[[\]]+/).filter((name) => name !== '');
    const last = names.pop() ?? '';
    let place = root;
    for (const name of names) {
      place[name] ??= {};
      place = place[name] as Record<string, unknown>;
    }
    place[last] = value;
  }
  return root as Form;
}

/** The text at a path such as `price_data.unit_amount`; '' where there is none. */
export function textAt(form: Form, path: string): string {
  let value: string | Form | undefined = form;
  for (const name of path.split('.')) value = typeof value === 'object' ? value[name] : undefined;
  return typeof value === 'string' ? value : '';
}

/** The texts of a flat object or list at a path. */
export function textsAt(form: Form, path: string): Record<string, string> {
  let value: string | Form | undefined = form;
  for (const name of path.split('.')) value = typeof value === 'object' ? value[name] : undefined;
  return typeof value === 'object' ? { ...(value as Record<string, string>) } : {};
}
