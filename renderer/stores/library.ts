import { defineStore } from './define-store.ts'
import { computed, watch } from 'vue'
import type { StudySet } from '../../shared/bridge/resources/library.ts'
import { findChangedFact } from '../../shared/bridge/data-change.ts'
import { useConnection } from './connection.ts'
import { useDataChanges } from './data-changes.ts'
import { useRead } from './host-read.ts'

/** The host's study sets and decks, loaded once for all pages that show their names. */
export const useLibrary = defineStore('library', () => {
  const connection = useConnection()
  const getOptions = (): Record<string, never> | null => (connection.online ? {} : null)
  const studySets = useRead('studySets.list', getOptions, { isRetained: true })
  const decks = useRead('decks.list', getOptions, { isRetained: true })

  // Data of the previous host do not apply to the new one.
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

  const titleOf = (topicid: string): string | null =>
    studySetList.value.find((set) => set.topicid === topicid)?.title ?? null

  /** Options of a select. `chosenId` is one of them even if it is not listed; it may be empty. */
  function listOptions(chosenId: string): readonly { readonly value: string; readonly label: string }[] {
    const listed = studySetList.value.map(({ topicid, title }) => ({ value: topicid, label: title || topicid }))
    const isMissing = chosenId !== '' && !listed.some(({ value }) => value === chosenId)
    return isMissing ? [...listed, { value: chosenId, label: chosenId }] : listed
  }

  // Reports study sets that changed without a write by this program, for example on a different
  // device or in the host's own interface.
  const changes = useDataChanges()
  watch(
    () => studySets.data,
    (next, before) => {
      if (!next || !before || next.meta.epoch !== before.meta.epoch) return
      const earlier = new Map(before.value.studySets.map((set) => [set.topicid, set]))
      for (const studySet of next.value.studySets) {
        const earlierSet = earlier.get(studySet.topicid)
        const fact = earlierSet ? findChangedFact(collectFacts(earlierSet), collectFacts(studySet)) : null
        if (fact) changes.reportFact(fact, studySet.topicid, before.meta.receivedAt - before.meta.durationMs)
      }
    },
  )

  /** Titles from any host in this run: operation records refer to study sets of several hosts. */
  const lastKnownTitles = new Map<string, string>()
  watch(studySetList, (listedSets) => {
    for (const { topicid, title } of listedSets) if (title) lastKnownTitles.set(topicid, title)
  })
  /** Returns the title on this host or, if there is none, the last title that any host listed. */
  const lastKnownTitleOf = (topicid: string): string | null => titleOf(topicid) ?? lastKnownTitles.get(topicid) ?? null

  return { studySets, decks, studySetList, deckList, titleOf, listOptions, lastKnownTitleOf, reload }
})

function collectFacts({ lastModifiedAt, noteCount, documentCount }: StudySet): Record<string, string> {
  const facts = Object.entries({ lastModifiedAt, noteCount, documentCount })
  return Object.fromEntries(
    facts.flatMap(([name, value]) => (value === null || value === undefined ? [] : [[name, String(value)]])),
  )
}
