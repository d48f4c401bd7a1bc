import { defineStore } from 'pinia'
import { computed, watch } from 'vue'
import type { StudySet } from '../../shared/bridge/resources/library.ts'
import { findChangedFact } from '../../shared/bridge/data-change.ts'
import { useConnection } from './connection.ts'
import { useDataChanges } from './data-changes.ts'
import { useRead } from './host-read.ts'

/** The host's study sets and decks, read once and kept for every place that names one. */
export const useLibrary = defineStore('library', () => {
  const connection = useConnection()
  const wanted = (): Record<string, never> | null => (connection.online ? {} : null)
  const studySets = useRead('studySets.list', wanted, { isRetained: true })
  const decks = useRead('decks.list', wanted, { isRetained: true })

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

  const studySetList = computed(() => studySets.data?.value.studySets ?? [])
  const deckList = computed(() => decks.data?.value.decks ?? [])

  /** Title of a study set as the host lists it; null while unknown. */
  const titleOf = (topicid: string): string | null =>
    studySetList.value.find((set) => set.topicid === topicid)?.title ?? null

  // A study set that differs from before although nobody wrote to it: another device did, or a person in the host.
  const changes = useDataChanges()
  watch(
    () => studySets.data,
    (now, before) => {
      if (!now || !before || now.meta.epoch !== before.meta.epoch) return
      const earlier = new Map(before.value.studySets.map((set) => [set.topicid, set]))
      for (const set of now.value.studySets) {
        const known = earlier.get(set.topicid)
        const fact = known ? findChangedFact(factsOf(known), factsOf(set)) : null
        if (fact) changes.notice(fact, set.topicid, before.meta.receivedAt - before.meta.durationMs)
      }
    },
  )

  /** What study sets were called by whatever host listed them in this run: records name study sets of several hosts. */
  const heard = new Map<string, string>()
  watch(studySetList, (now) => {
    for (const { topicid, title } of now) if (title) heard.set(topicid, title)
  })
  /** Its title on this host or, failing that, on the one that listed it before. */
  const lastKnownTitleOf = (topicid: string): string | null => titleOf(topicid) ?? heard.get(topicid) ?? null

  return { studySets, decks, sets: studySetList, deckList, titleOf, lastTitleOf: lastKnownTitleOf, reload }
})

function factsOf({ lastModifiedAt, noteCount, documentCount }: StudySet): Record<string, string> {
  const facts = Object.entries({ lastModifiedAt, noteCount, documentCount })
  return Object.fromEntries(
    facts.flatMap(([name, value]) => (value === null || value === undefined ? [] : [[name, String(value)]])),
  )
}
