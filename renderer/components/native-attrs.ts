/** Selects what a wrapper passes to its field: all but class and style, which stay outside. */
export function pickNativeAttrs(attrs: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(attrs).filter(([name]) => name !== 'class' && name !== 'style'))
}
