/** What is set on a wrapper and belongs to the native field inside: all but class and style, which stay on the outer element. */
export function pickNativeAttrs(attrs: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(attrs).filter(([name]) => name !== 'class' && name !== 'style'))
}
