/**
 * Selects the attributes that a wrapper passes to its native field: all except class and style,
 * which stay on the outer element.
 */
export function pickNativeAttrs(attrs: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(attrs).filter(([name]) => name !== 'class' && name !== 'style'))
}
