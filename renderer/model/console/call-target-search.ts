import type { CallTarget } from '../../../shared/bridge/call-target.ts'
import { foldText } from '../../../shared/format/text-folding.ts'
import { getInitialPath, isPlaceholder } from './request-path.ts'

interface PathCompletion {
  readonly target: CallTarget
  readonly path: string
}

/**
 * Continues a typed path by the templates that fit it, and keeps the values typed for their
 * placeholders. The words of a text that fits no template are searched for. A query gets no
 * completion.
 */
export function completePath(
  callTargets: readonly CallTarget[],
  text: string,
  getSummary: (target: CallTarget) => string,
): readonly PathCompletion[] {
  if (text.includes('?')) return []
  const typedSegments = text.split('/')
  const completions = callTargets.flatMap((target) => {
    const segments = target.path.split('/')
    const lastIndex = typedSegments.length - 1
    const fits = typedSegments.every((typed, index) => {
      const segment = segments[index]
      if (segment === undefined) return false
      if (isPlaceholder(segment)) return typed !== '' || index === lastIndex
      return index === lastIndex ? foldText(segment).startsWith(foldText(typed)) : segment === typed
    })
    if (!fits) return []
    const filled = segments.map((segment, index) => (isPlaceholder(segment) && typedSegments[index]) || segment)
    return { target, path: filled.join('/') + getInitialPath(target).slice(target.path.length) }
  })
  if (completions.length > 0 && text.length > 1) return completions
  return searchCallTargets(callTargets, text === '/' ? '' : text, getSummary).map((target) => ({
    target,
    path: getInitialPath(target),
  }))
}

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
