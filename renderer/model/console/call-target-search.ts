import type { CallTarget } from '../../../shared/bridge/call-target.ts'
import { foldText } from '../../../shared/format/text-folding.ts'

/**
 * Finds the call targets that contain every word in their method, path, id or summary. Matches of a
 * whole path segment come first, then other matches in the name, then matches in the summary; reads
 * come before writes of the same rank.
 */
export function searchCallTargets(
  callTargets: readonly CallTarget[],
  text: string,
  getSummary: (target: CallTarget) => string,
): readonly CallTarget[] {
  const words = foldText(text).split(/\s+/).filter(Boolean)
  const matches = callTargets.flatMap((target) => {
    const name = foldText(`${target.method} ${target.path}`)
    const searched = `${name} ${foldText(`${target.id} ${getSummary(target)}`)}`
    if (!words.every((word) => searched.includes(word))) return []
    const segments = name.split(/[\s/{}]+/)
    const isSegment = words.every((word) => segments.includes(word))
    const isName = words.every((word) => name.includes(word))
    return [{ target, rank: (isSegment ? 0 : isName ? 2 : 4) + (target.row.access === 'read' ? 0 : 1) }]
  })
  // An empty search keeps the order of the contract.
  return words.length === 0 ? callTargets : matches.toSorted((a, b) => a.rank - b.rank).map(({ target }) => target)
}
