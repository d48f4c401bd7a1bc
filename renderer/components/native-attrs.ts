/** All except class and style, which stay on the outer element of a wrapper. */
export function pickNativeAttrs(attrs: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(attrs).filter(([name]) => name !== 'class' && name !== 'style'))
}
