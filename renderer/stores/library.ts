import { defineStore } from 'pinia'
import { computed, markRaw, watch } from 'vue'
import { listedIn } from '../../shared/bridge/listed.ts'
import type { Deck, DeckList, StudySet, StudySetList } from '../../shared/bridge/resources/library.ts'
import { useConnection } from './connection.ts'
import { useRead } from './read.ts'

/** The study sets and decks of the host, read once and kept for every place that names one. */
export const useLibrary = defineStore('library', () => {
  const connection = useConnection()
  const wanted = (): Record<string, never> | null => (connection.online ? {} : null)
  // Raw, or the store would unwrap the refs inside.
  const studySets = markRaw(useRead<StudySetList>('studySets.list', wanted))
  const decks = markRaw(useRead<DeckList>('decks.list', wanted))

  // Another host: what was read of the one before says nothing of this one.
  watch(
    () => connection.state.profile?.id,
    () => {
      studySets.reset()
      decks.reset()
      if (connection.online) void reload()
    },
  )

  async function reload(): Promise<void> {
    await Promise.all([studySets.reload(), decks.reload()])
  }

  const setList = computed(() => listedIn<StudySet>(studySets.value.value?.value, 'studySets'))
  const deckList = computed(() => listedIn<Deck>(decks.value.value?.value, 'decks'))
  const sets = computed(() => setList.value.items)

  /** Title of a study set as the host lists it; null while it is not known. */
  const titleOf = (topicid: string): string | null => sets.value.find((set) => set.topicid === topicid)?.title ?? null

  return { studySets, decks, setList, deckList, sets, titleOf, reload }
})
