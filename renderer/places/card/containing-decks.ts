import { onScopeDispose, ref, shallowRef, watch } from 'vue'
import type { Deck } from '../../../shared/bridge/resources/library.ts'
import { judgeChangeImpact } from '../../../shared/bridge/data-change.ts'
import type { AppError } from '../../../shared/errors.ts'
import { useDataChanges } from '../../stores/data-changes.ts'
import { toAppError, isCancellation } from '../../stores/errors.ts'
import { readEndpoint } from '../../stores/host-read.ts'
import { useLibrary } from '../../stores/library.ts'

/**
 * Searches for the decks that contain a card. The host can only list the cards of one deck at a
 * time, so the search runs on request. Decks that were found before a failure remain.
 */
export function useContainingDecks(noteid: () => string) {
  const library = useLibrary()
  const isRunning = ref(false)
  /** Number of decks searched so far; null before the first search. */
  const searchedCount = ref<number | null>(null)
  const deckTotal = ref(0)
  const matchingDecks = shallowRef<readonly Deck[]>([])
  const error = shallowRef<AppError | null>(null)
  let abort: AbortController | null = null

  function cancel(): void {
    abort?.abort()
    abort = null
    isRunning.value = false
    searchedCount.value = null
  }

  async function search(): Promise<void> {
    cancel()
    const controller = new AbortController()
    abort = controller
    isRunning.value = true
    searchedCount.value = 0
    matchingDecks.value = []
    error.value = null
    try {
      if (library.decks.data === null) await library.decks.reload()
      const failure = library.decks.error
      if (failure) throw failure
      const decks = library.deckList
      deckTotal.value = decks.length
      for (const deck of decks) {
        if (await containsCard(deck, noteid(), controller.signal)) matchingDecks.value = [...matchingDecks.value, deck]
        if (abort !== controller) return
        searchedCount.value += 1
      }
    } catch (thrown) {
      if (abort !== controller) return
      searchedCount.value = null
      if (!isCancellation(thrown)) error.value = toAppError(thrown)
    }
    isRunning.value = false
  }

  function clearResults(): void {
    cancel()
    matchingDecks.value = []
    error.value = null
  }
  watch(noteid, clearResults)
  onScopeDispose(cancel)
  // The cards of a deck may have changed, so earlier results no longer hold.
  onScopeDispose(
    useDataChanges().onChange((change) => {
      if (judgeChangeImpact(change, { endpoint: 'decks.list' }) !== 'no') clearResults()
    }),
  )
  return { search, cancel, isRunning, searchedCount, deckTotal, matchingDecks, error }
}

async function containsCard({ deckId }: Deck, noteid: string, signal: AbortSignal): Promise<boolean> {
  const { value } = await readEndpoint('decks.cards', { params: { deckId } }, { signal })
  return value.cards.some(({ sourceNoteId, cardNoteId }) => sourceNoteId === noteid || cardNoteId === noteid)
}
