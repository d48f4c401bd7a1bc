import { onScopeDispose, ref, shallowRef, watch } from 'vue'
import type { Deck } from '../../../shared/bridge/resources/library.ts'
import { judgeTouch } from '../../../shared/bridge/data-change.ts'
import type { AppError } from '../../../shared/errors.ts'
import { useDataChanges } from '../../stores/data-changes.ts'
import { asAppError, isCancelled } from '../../stores/errors.ts'
import { readEndpoint } from '../../stores/read.ts'
import { useLibrary } from '../../stores/library.ts'

/**
 * The decks that contain a card. A host can only be asked deck by deck, so this runs on request, one deck after the other. What was found
 * before a failure is kept and shown with it.
 */
export function useDeckCards(noteid: () => string) {
  const library = useLibrary()
  const running = ref(false)
  /** Decks searched; null = not searched yet. */
  const looked = ref<number | null>(null)
  const total = ref(0)
  const found = shallowRef<readonly Deck[]>([])
  const error = shallowRef<AppError | null>(null)
  let abort: AbortController | null = null

  function cancel(): void {
    abort?.abort()
    abort = null
    running.value = false
    looked.value = null
  }

  async function search(): Promise<void> {
    cancel()
    const mine = new AbortController()
    abort = mine
    running.value = true
    looked.value = 0
    found.value = []
    error.value = null
    try {
      if (library.decks.data === null) await library.decks.reload()
      const failure = library.decks.error
      if (failure) throw failure
      const decks = library.deckList
      total.value = decks.length
      for (const deck of decks) {
        if (await holds(deck, noteid(), mine.signal)) found.value = [...found.value, deck]
        if (abort !== mine) return
        looked.value += 1
      }
    } catch (thrown) {
      if (abort !== mine) return
      looked.value = null
      if (!isCancelled(thrown)) error.value = asAppError(thrown)
    }
    running.value = false
  }

  function forget(): void {
    cancel()
    found.value = []
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
  return { search, cancel, running, looked, total, found, error }
}

async function holds({ deckId }: Deck, noteid: string, signal: AbortSignal): Promise<boolean> {
  const { value } = await readEndpoint('decks.cards', { params: { deckId } }, { signal })
  return value.cards.some(({ sourceNoteId, cardNoteId }) => sourceNoteId === noteid || cardNoteId === noteid)
}
