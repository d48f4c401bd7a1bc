/**
 * The source of a statement about the host's interface. `spec`: spec-0.91 states it. `host`: the
 * connected host's own capabilities or guide state it (spec §9: they are authoritative).
 * `observed`: a host of version 0.49 was seen to do so. `open`: the spec says "not shown", gives an
 * observed value as an example, or says nothing.
 */
export const bases = ['spec', 'host', 'observed', 'open'] as const
export type Basis = (typeof bases)[number]

/**
 * May a difference from a statement be held against the host, or against the caller? Everything
 * that judges asks this function: data problems, deviations, findings, probes, counts, exit codes
 * and exports. A difference from an `observed` statement may be listed apart ("otherwise than seen
 * on 0.49"), but is never counted. A difference from an `open` one is none.
 */
export function isBinding(basis: Basis): boolean {
  return basis === 'spec' || basis === 'host'
}

/** A statement that rests on two others binds no more than the weaker one. */
export function getWeakerBasis(first: Basis, second: Basis): Basis {
  return bases.indexOf(first) > bases.indexOf(second) ? first : second
}

/** Returns the basis of the sections in `spec §1; observed §7` or `capabilities of the host`. */
export function getSourceBasis(spec: string): Basis {
  if (/(?:^|; )spec /.test(spec)) return 'spec'
  if (/(?:^|; )observed\b/.test(spec)) return 'observed'
  return spec.startsWith('capabilities') ? 'host' : 'open'
}
