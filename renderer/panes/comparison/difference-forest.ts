import { computed, ref, shallowRef, watch } from 'vue'
import { useI18n } from 'vue-i18n'
import type { DifferenceNode, JsonChange } from '../../../shared/bridge/compare.ts'
import { toPointerStep } from '../../../shared/json/pointer.ts'
import { revealNode } from '../../model/tree/expansion.ts'
import { Forest } from '../../model/tree/forest.ts'
import { TreeReader } from '../../model/tree/tree-reader.ts'
import { computeVisibleRows } from '../../model/tree/tree-rows.ts'
import type { MemberList, ResponseComparison } from '../../stores/exchange.ts'

/** A row of the tree: a difference, equal members that are not listed yet, or one of them. */
export interface DifferenceRow {
  readonly key: string
  readonly parentKey: string | null
  readonly kind: DifferenceNode['kind'] | 'same' | 'member' | 'placeholder'
  readonly text: string
  /** JSON pointer into the newer response; null if it lacks the value. */
  readonly pointer: string | null
  /** The steps of the members that are not listed by `same`. */
  readonly omittedSteps: readonly string[]
  readonly isExpanded: boolean
}

/** Classes by the kind of a difference; other rows have none. */
export const changeTones: Readonly<Record<string, string>> = {
  added: 'success',
  removed: 'danger',
  changed: 'warn',
  moved: 'muted',
}

/** Equal members are listed when they are expanded. */
export function useDifferenceForest(
  nodes: () => readonly DifferenceNode[],
  listMembers: ResponseComparison['listMembers'],
) {
  const { t, n } = useI18n()
  const forest = shallowRef(new Forest())
  const version = ref(0)
  const expandedKeys = new Map<string, boolean>()
  const memberLists = new Map<string, MemberList>()
  let rows: readonly DifferenceRow[] = []

  const formatName = (name: string, title: string, id: string | null): string =>
    [name, title, id === null || id === title ? '' : id].filter((part) => part !== '').join(' · ')

  function formatNode(node: DifferenceNode): string {
    const { kind, name, title, id, textBefore, textAfter } = node
    const label = node.parent < 0 ? t('traffic.compare.response') : formatName(name, title, id)
    switch (kind) {
      case 'changed':
        return `${label}: ${textBefore ?? ''} → ${textAfter ?? ''}`
      case 'added':
        return `+ ${label}: ${textAfter ?? ''}`
      case 'removed':
        return `− ${label}: ${textBefore ?? ''}`
      case 'moved':
        return `${node.pointerBefore?.split('/').at(-1) ?? ''} → ${label}`
      case 'container':
        return label
    }
  }

  function listMemberRows(parentKey: string): readonly DifferenceRow[] {
    const list = memberLists.get(parentKey)
    const base = { parentKey, omittedSteps: [], pointer: null, isExpanded: false }
    const placeholder = { ...base, key: `${parentKey}…`, kind: 'placeholder' as const }
    if (list === undefined) return [{ ...placeholder, text: t('traffic.compare.reading') }]
    const members = list.members.flatMap(({ name, title, pointer, text, memberCount }): readonly DifferenceRow[] => {
      const key = `=${pointer}`
      const label = formatName(name, title, null)
      const row: DifferenceRow = {
        ...base,
        key,
        kind: 'member',
        pointer,
        text: text === null ? label : `${label}: ${text}`,
        isExpanded: expandedKeys.get(key) === true,
      }
      return memberCount > 0 ? [row, ...listMemberRows(key)] : [row]
    })
    return list.left === 0
      ? members
      : [...members, { ...placeholder, text: t('traffic.compare.moreMembers', { n: n(list.left) }, list.left) }]
  }

  function listRows(): readonly DifferenceRow[] {
    const differences = nodes()
    const childIndexes = Map.groupBy(differences.keys(), (index) => differences[index]?.parent ?? -1)
    const rowList: DifferenceRow[] = []
    const addRows = (parent: number, parentKey: string | null): void => {
      const indexes = childIndexes.get(parent) ?? []
      // Elements of a list are in the order of the newer one; other names compare as equal.
      const ordered = indexes.toSorted((a, b) => Number(differences[a]?.name) - Number(differences[b]?.name) || a - b)
      for (const index of ordered) {
        const node = differences[index]
        if (!node) continue
        const key = `${node.pointerBefore ?? ''}>${node.pointerAfter ?? ''}`
        rowList.push({
          key,
          parentKey,
          kind: node.kind,
          text: formatNode(node),
          pointer: node.pointerAfter,
          omittedSteps: [],
          isExpanded: expandedKeys.get(key) ?? true,
        })
        addRows(index, key)
        if (node.sameCount === 0 || node.pointerAfter === null) continue
        const sameKey = `${key}=`
        const changed = childIndexes.get(index) ?? []
        rowList.push({
          key: sameKey,
          parentKey: key,
          kind: 'same',
          text: t('traffic.compare.sameMembers', { n: n(node.sameCount) }, node.sameCount),
          pointer: node.pointerAfter,
          omittedSteps: changed.flatMap((child) => {
            const { pointerAfter = null, name = '' } = differences[child] ?? {}
            return pointerAfter === null ? [] : [toPointerStep(name).slice(1)]
          }),
          isExpanded: expandedKeys.get(sameKey) === true,
        })
        rowList.push(...listMemberRows(sameKey))
      }
    }
    addRows(-1, null)
    return rowList
  }

  function rebuild(): void {
    rows = listRows()
    const next = new Forest()
    next.appendChunk(
      new TreeReader().addNodes(
        rows.map(({ key, parentKey, text }) => ({ noteid: key, title: text, parent: parentKey })),
      ),
    )
    next.finishLoading(true)
    rows.forEach(({ isExpanded }, node) => (next.expanded[node] = isExpanded ? 1 : 0))
    forest.value = next
    version.value += 1
  }
  watch(
    nodes,
    () => {
      expandedKeys.clear()
      memberLists.clear()
      rebuild()
    },
    { immediate: true },
  )

  async function loadMembers({ key, pointer, omittedSteps }: DifferenceRow): Promise<void> {
    if (pointer === null || memberLists.has(key)) return
    // The comparison is over if its worker has stopped.
    const list = await listMembers({ pointer, omittedSteps: [...omittedSteps] }).catch(() => null)
    if (list === null) return
    memberLists.set(key, list)
    rebuild()
  }

  function toggleNode(node: number, isExpanded: boolean): void {
    const row = rows[node]
    if (row === undefined) return
    expandedKeys.set(row.key, isExpanded)
    forest.value.expanded[node] = isExpanded ? 1 : 0
    rows = rows.map((other) => (other === row ? { ...row, isExpanded } : other))
    version.value += 1
    if (isExpanded && (row.kind === 'same' || row.kind === 'member')) void loadMembers(row)
  }

  return {
    forest,
    treeRows: computed(() => {
      void version.value
      return computeVisibleRows(forest.value, null)
    }),
    getRow: (node: number): DifferenceRow | undefined => rows[node],
    /** Expands the containers of a change, and returns its row; -1 if there is none. */
    revealChange({ pointerBefore, pointerAfter }: JsonChange): number {
      const key = `${pointerBefore ?? ''}>${pointerAfter ?? ''}`
      const node = rows.findIndex((row) => row.key === key)
      if (node < 0) return node
      revealNode(forest.value, node)
      version.value += 1
      return node
    },
    toggleNode,
    expandSiblings(node: number): void {
      const parent = rows[node]?.parentKey ?? null
      rows.forEach((row, index) => {
        if (row.parentKey === parent && !row.isExpanded) toggleNode(index, true)
      })
    },
  }
}
