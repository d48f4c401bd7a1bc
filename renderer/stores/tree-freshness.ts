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

/** A change to more cards than this is not checked against the listing. */
const MAX_LOOKED_UP_CARDS = 50

interface WatchedTree {
  readonly key: ShallowRef<TreeKey | null>
  readonly pages: ShallowRef<readonly PageOrigin[]>
  /**
   * Index of a card in the listing, -1 if it is not there; undefined while the listing is
   * incomplete.
   */
  readonly indexOf: (noteid: string) => Promise<number> | undefined
  /** Shows another title of a card, as read from the host. */
  readonly setTitle: (noteid: string, title: string) => Promise<void>
}

interface TreeFreshness extends Pick<Freshness, 'newestChange'> {
  /** True if the tree was read before the connection was interrupted. */
  readonly isStale: ComputedRef<boolean>
  /** Called when only data that is read from now on is shown. */
  readonly forget: () => void
}

/**
 * Whether the tree was changed since it was read. It never reloads by itself: its rows would move
 * while the user looks at them, and it may have 200,000 of them. A written title is put into its
 * row, though, once the card has been read back. Lives as long as the page, whose tree opens other
 * listings and is never disposed of.
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

  /** A change only to cards outside this listing does not touch this tree. */
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

/** Whether a change sets nothing but the title of a card. */
function setsOnlyTitle({ cause }: DataChange): boolean {
  const effect = findEndpointById(cause?.endpoint ?? '')?.effect
  return effect?.rule === 'members' && Object.values(effect.readBackPointers).every((member) => member === '/title')
}

/** Verdicts that rest on an independent read after the write. */
const readBackVerdicts: ReadonlySet<OperationVerdict['code']> = new Set(['saved-and-verified', 'unsaid-but-verified'])

/**
 * Calls `apply` with the title of a card after a write, once a read of the card has confirmed it:
 * the host's response alone changes no title. Then calls `done` for the card that the write names.
 * Records older than the caller do not count. Returns a function that stops it.
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
      // With several cards, each field is prefixed with its card's id.
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
