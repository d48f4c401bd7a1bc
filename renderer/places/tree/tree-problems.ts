import { computed, type ComputedRef } from 'vue'
import { nodeProblemKinds } from '../../model/tree/tree-chunk.ts'
import { useTree } from '../../stores/tree.ts'

/** One kind of problem with the listing, in order of importance. */
export interface TreeProblem {
  /** Message key below `tree.problem`. */
  readonly kind: string
  readonly count: number
  readonly params: Readonly<Record<string, string | number>>
  /** Nodes to jump to; empty for a problem with the whole. */
  readonly nodes: readonly number[]
}

/**
 * Everything to report before the tree may count as complete and sound (spec §2 flags, product
 * promise "never lies").
 */
export function useTreeProblems(): ComputedRef<readonly TreeProblem[]> {
  const tree = useTree()
  return computed(() => {
    const found: TreeProblem[] = []
    const { flags, total, loadedCount: loaded, status } = tree
    const whole = (kind: string, params: TreeProblem['params'] = {}): void => {
      found.push({ kind, count: 1, params, nodes: [] })
    }
    if (flags.hasMixedEpochs) whole('mixedEpochs')
    if (flags.walkLimitReached) whole('walkLimitReached')
    if (flags.isTruncated && !flags.walkLimitReached) whole('truncated')
    if (flags.hasCursorLoop) whole('looped')
    if (status === 'complete' && total !== null && total !== loaded) whole('totalMismatch', { total, loaded })
    // `loaded` and `status` are read above, so this reruns whenever the forest has changed.
    for (const kind of nodeProblemKinds) {
      const nodes = tree.forest.problems[kind]
      if (nodes.length > 0) found.push({ kind, count: nodes.length, params: {}, nodes })
    }
    const kinds = new Map<string, number[]>()
    for (const { finding, index } of tree.findings) kinds.set(finding.kind, [...(kinds.get(finding.kind) ?? []), index])
    for (const [kind, nodes] of kinds) {
      found.push({ kind: `finding.${kind}`, count: nodes.length, params: {}, nodes: nodes.filter((node) => node >= 0) })
    }
    const unlisted = tree.findingTotal - tree.findings.length
    if (unlisted > 0) found.push({ kind: 'finding.unlisted', count: unlisted, params: {}, nodes: [] })
    return found
  })
}
