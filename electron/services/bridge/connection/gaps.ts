import type { Gap } from '../../../../shared/ipc/connection.ts'

/** How many gaps are remembered. */
const MOST = 50

/** Opens a gap. */
export function openGap(gaps: Gap[], id: number, reason: Gap['reason'], from: number): Gap[] {
  return [{ id, reason, from, until: null }, ...gaps].slice(0, MOST)
}

/** Closes the open gap. `reason` replaces the original one if more is known by now. */
export function closeGap(gaps: Gap[], until: number, reason?: Gap['reason']): Gap[] {
  const [latest, ...rest] = gaps
  if (!latest || latest.until !== null) return gaps
  return [{ ...latest, until, reason: reason ?? latest.reason }, ...rest]
}

export const lasts = (gaps: readonly Gap[]): boolean => gaps[0]?.until === null
