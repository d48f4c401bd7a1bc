import { computed, type ComputedRef } from 'vue'
import { nodeProblemKinds } from '../../model/tree/tree-chunk.ts'
import { useTree } from '../../stores/tree.ts'

export interface TreeProblem {
  /** Message key below `tree.problem`. */
  readonly kind: string
  readonly count: number
  readonly params: Readonly<Record<string, string | number>>
  /** Nodes to jump to; empty for a problem of the tree as a whole. */
  readonly nodes: readonly number[]
}

/** Reasons why the tree is not complete and sound, most important first. @see spec §2 flags */
export function useTreeProblems(): ComputedRef<readonly TreeProblem[]> {
  const tree = useTree()
  return computed(() => {
    const problems: TreeProblem[] = []
    const { flags, total, loadedCount: loaded, status } = tree
    const addTreeProblem = (kind: string, params: TreeProblem['params'] = {}): void => {
      problems.push({ kind, count: 1, params, nodes: [] })
    }
    if (flags.hasMixedEpochs) addTreeProblem('mixedEpochs')
    if (flags.walkLimitReached) addTreeProblem('walkLimitReached')
    if (flags.isTruncated && !flags.walkLimitReached) addTreeProblem('truncated')
    if (flags.hasCursorLoop) addTreeProblem('looped')
    if (status === 'complete' && total !== null && total !== loaded) addTreeProblem('totalMismatch', { total, loaded })
    // The forest is not reactive, but `loadedCount` and `status` above change whenever it does.
    for (const kind of nodeProblemKinds) {
      const nodes = tree.forest.problems[kind]
      if (nodes.length > 0) problems.push({ kind, count: nodes.length, params: {}, nodes })
    }
    const kinds = new Map<string, number[]>()
    for (const { finding, index } of tree.findings) kinds.set(finding.kind, [...(kinds.get(finding.kind) ?? []), index])
    for (const [kind, nodes] of kinds) {
      problems.push({
        kind: `finding.${kind}`,
        count: nodes.length,
        params: {},
        nodes: nodes.filter((node) => node >= 0),
      })
    }
    const unlisted = tree.findingTotal - tree.findings.length
    if (unlisted > 0) problems.push({ kind: 'finding.unlisted', count: unlisted, params: {}, nodes: [] })
    return problems
  })
}
