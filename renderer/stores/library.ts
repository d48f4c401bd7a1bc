import { defineStore } from 'pinia'
import { computed, markRaw, watch } from 'vue'
import { useConnection } from './connection.ts'
import { useRead } from './read.ts'

/** The host's study sets and decks, read once and kept for every place that names one. */
export const useLibrary = defineStore('library', () => {
  const connection = useConnection()
  const wanted = (): Record<string, never> | null => (connection.online ? {} : null)
  // Raw, or the store would unwrap the refs inside.
  const studySets = markRaw(useRead('studySets.list', wanted))
  const decks = markRaw(useRead('decks.list', wanted))

  // Data from the previous host says nothing about this one.
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

  const sets = computed(() => studySets.value.value?.value.studySets ?? [])
  const deckList = computed(() => decks.value.value?.value.decks ?? [])

  /** Title of a study set as the host lists it; null while unknown. */
  const titleOf = (topicid: string): string | null => sets.value.find((set) => set.topicid === topicid)?.title ?? null

  /** What study sets were called by whatever host listed them in this run: records name study sets of several hosts. */
  const heard = new Map<string, string>()
  watch(sets, (now) => {
    for (const { topicid, title } of now) if (title) heard.set(topicid, title)
  })
  /** Its title on this host or, failing that, on the one that listed it before. */
  const lastTitleOf = (topicid: string): string | null => titleOf(topicid) ?? heard.get(topicid) ?? null

  return { studySets, decks, sets, deckList, titleOf, lastTitleOf, reload }
})
