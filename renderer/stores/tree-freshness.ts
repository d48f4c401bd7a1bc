import { computed, type ComputedRef, type ShallowRef } from 'vue'
import { judgeChangeImpact, type DataChange, type DisplayedRead } from '../../shared/bridge/data-change.ts'
import { findEndpointById } from '../../shared/bridge/endpoints/index.ts'
import { useFreshness, type Freshness } from './data-changes.ts'
import { useConnection } from './connection.ts'
import type { PageOrigin } from './tree-load.ts'
import type { TreeKey } from './tree-pages.ts'
import type { OperationVerdict } from '../../shared/operations/operation-verdict.ts'
import { call } from '../ipc/call.ts'
import { subscribe } from '../ipc/subscriptions.ts'

/** If a change names more cards than this, they are not looked up in the listing. */
const MAX_LOOKED_UP_CARDS = 50

interface WatchedTree {
  readonly key: ShallowRef<TreeKey | null>
  readonly pages: ShallowRef<readonly PageOrigin[]>
  /** -1 if the listing lacks the card; undefined while it is incomplete. */
  readonly indexOf: (noteid: string) => Promise<number> | undefined
  /** Shows a new title that was read from the host. */
  readonly setTitle: (noteid: string, title: string) => Promise<void>
}

interface TreeFreshness extends Pick<Freshness, 'newestChange'> {
  /** True if the tree was read before the connection was interrupted. */
  readonly isStale: ComputedRef<boolean>
  /** Forgets all changes so far. Call it when the tree is about to be read from the start. */
  readonly forget: () => void
}

/**
 * Finds out whether the tree was changed since it was read. The tree never reloads by itself: its
 * rows would move while the user looks at them, and there may be 200,000 of them. Only a new title
 * is shown in its row, after the card was read again. The scope is that of the page, because the
 * tree store is never disposed of.
 */
export function useTreeFreshness({ key, pages, indexOf, setTitle }: WatchedTree): TreeFreshness {
  const connection = useConnection()
  const { newestChange, reset, dropFirstChange } = useFreshness({
    getShownRead: () => (pages.value.length > 0 ? readOf(key.value) : null),
    isAutomatic: () => false,
    reload: () => undefined,
    judge,
    isPatched: setsOnlyTitle,
  })

  /** A change that names only cards outside this listing does not affect the tree. */
  async function judge(change: DataChange, read: DisplayedRead): Promise<ReturnType<typeof judgeChangeImpact>> {
    const touch = judgeChangeImpact(change, read)
    const { cards, sets } = change.ids
    if (touch === 'no' || sets.length > 0 || cards.length === 0 || cards.length > MAX_LOOKED_UP_CARDS) return touch
    const positions = await Promise.all(cards.map((card) => indexOf(card)?.catch(() => undefined)))
    return positions.every((position) => position === -1) ? 'no' : touch
  }

  onTitleVerified({
    apply: setTitle,
    done: (noteid) => dropFirstChange((change) => setsOnlyTitle(change) && change.ids.cards.includes(noteid)),
  })

  const isStale = computed(() => pages.value[0] !== undefined && connection.isStale(pages.value[0].meta.epoch))
  return { newestChange, isStale, forget: reset }
}

const readOf = (key: TreeKey | null): DisplayedRead | null =>
  key && {
    endpoint: 'studySets.tree',
    params: { topicid: key.topicid },
    query: key.root === '' ? {} : { root: key.root },
  }

function setsOnlyTitle({ cause }: DataChange): boolean {
  const effect = findEndpointById(cause?.endpoint ?? '')?.effect
  return effect?.rule === 'members' && Object.values(effect.readBackPointers).every((member) => member === '/title')
}

/** These verdicts are based on an independent read after the write. */
const readBackVerdicts: ReadonlySet<OperationVerdict['code']> = new Set(['saved-and-verified', 'unsaid-but-verified'])

/**
 * Calls `apply` with the new title of a card after a write, once a read of the card has confirmed
 * the title; the host's response to the write is not enough. Then calls `done` for the card of the
 * write. Records from before the call are ignored. The returned function ends the subscription.
 */
export function onTitleVerified(callbacks: {
  readonly apply: (noteid: string, title: string) => Promise<void>
  readonly done: (noteid: string) => void
}): () => void {
  const since = Date.now()
  const finishedIds = new Set<string>()

  async function applyTitles(id: string, noteid: string): Promise<void> {
    const { changes } = await call('operations.get', { id })
    for (const { field, after } of changes) {
      // If a write names several cards, each field is prefixed with the id of its card.
      const cardId = field.endsWith('.title') ? field.slice(0, -'.title'.length) : null
      if ((field === 'title' || cardId !== null) && typeof after === 'string')
        await callbacks.apply(cardId ?? noteid, after)
    }
    callbacks.done(noteid)
  }

  return subscribe('operations.changed', ({ items }) => {
    for (const { id, noteid, createdAt, verdict } of items) {
      if (noteid === null || createdAt < since || finishedIds.has(id) || !readBackVerdicts.has(verdict.code)) continue
      finishedIds.add(id)
      void applyTitles(id, noteid).catch(() => undefined)
    }
  })
}
