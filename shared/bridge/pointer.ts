/** JSON pointer (RFC 6901) of a path through objects and lists. */
export const pointerOf = (trail: readonly PropertyKey[]): string =>
  trail.map((step) => `/${String(step).replace(/~/g, '~0').replace(/\//g, '~1')}`).join('')
