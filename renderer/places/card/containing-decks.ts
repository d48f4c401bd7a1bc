import { onScopeDispose, ref, shallowRef, watch } from 'vue'
import type { Deck } from '../../../shared/bridge/resources/library.ts'
import { judgeTouch } from '../../../shared/bridge/data-change.ts'
import type { AppError } from '../../../shared/errors.ts'
import { useDataChanges } from '../../stores/data-changes.ts'
import { toAppError, isCancellation } from '../../stores/errors.ts'
import { readEndpoint } from '../../stores/host-read.ts'
import { useLibrary } from '../../stores/library.ts'

/**
 * The decks that contain a card. A host can only be asked deck by deck, so this runs on request, one deck after the other. What was found
 * before a failure is kept and shown with it.
 */
export function useContainingDecks(noteid: () => string) {
  const library = useLibrary()
  const isRunning = ref(false)
  /** Decks searched; null = not searched yet. */
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
    const mine = new AbortController()
    abort = mine
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
        if (await holds(deck, noteid(), mine.signal)) matchingDecks.value = [...matchingDecks.value, deck]
        if (abort !== mine) return
        searchedCount.value += 1
      }
    } catch (thrown) {
      if (abort !== mine) return
      searchedCount.value = null
      if (!isCancellation(thrown)) error.value = toAppError(thrown)
    }
    isRunning.value = false
  }

  function forget(): void {
    cancel()
    matchingDecks.value = []
    error.value = null
  }
  watch(noteid, forget)
  onScopeDispose(cancel)
  // Which cards a deck has can have changed: it has to be searched for again.
  onScopeDispose(
    useDataChanges().onChange((change) => {
      if (judgeTouch(change, { endpoint: 'decks.list' }) !== 'no') forget()
    }),
  )
  return { search, cancel, running: isRunning, looked: searchedCount, total: deckTotal, found: matchingDecks, error }
}

async function holds({ deckId }: Deck, noteid: string, signal: AbortSignal): Promise<boolean> {
  const { value } = await readEndpoint('decks.cards', { params: { deckId } }, { signal })
  return value.cards.some(({ sourceNoteId, cardNoteId }) => sourceNoteId === noteid || cardNoteId === noteid)
}
