import { defineStore } from 'pinia'
import { computed, ref } from 'vue'
import type { RouteLocationRaw } from 'vue-router'
import { useConnection } from './connection.ts'
import { useLibrary } from './library.ts'
import { useSettings } from './settings.ts'
import { useTree } from './tree.ts'

/** The steps of the tour, in order: each is a real place. */
export const tourSteps = ['library', 'tree', 'card', 'operations', 'host'] as const
type TourStep = (typeof tourSteps)[number]

/** The tour of the demo library: offered once, taken or not, and never again by itself. */
export const useTour = defineStore('tour', () => {
  const connection = useConnection()
  const library = useLibrary()
  const settings = useSettings()
  const tree = useTree()
  /** The place of the present step in `tourSteps`; null while no tour is taken. */
  const stepIndex = ref<number | null>(null)
  const step = computed<TourStep | null>(() => (stepIndex.value === null ? null : (tourSteps[stepIndex.value] ?? null)))
  const isOffered = computed(
    () =>
      stepIndex.value === null &&
      !settings.values.tourSeen &&
      connection.online &&
      connection.state.profile?.demo === true,
  )

  /** Whether there is a study set to lead into; before the library is read, there is none. */
  const isReady = computed(() => library.sets.length > 0)

  const seen = (): void => settings.update({ tourSeen: true })
  function begin(): void {
    seen()
    stepIndex.value = 0
  }
  const end = (): void => void (stepIndex.value = null)

  /** Where a step leads: to the first study set of the library, and to the first card of its tree once that is read. */
  function getStepAddress(wanted: TourStep): RouteLocationRaw {
    const topicid = library.sets[0]?.topicid
    if (wanted === 'operations') return '/operations'
    if (wanted === 'host') return { path: '/host', query: { view: 'routes' } }
    if (wanted === 'library' || topicid === undefined) return '/library'
    const known = tree.key?.topicid === topicid && tree.forest.count > 0
    if (wanted === 'card' && known)
      return { path: `/notes/${encodeURIComponent(tree.forest.noteid(0))}`, query: { topicid } }
    return `/study-sets/${encodeURIComponent(topicid)}/tree`
  }

  return {
    at: stepIndex,
    step,
    ready: isReady,
    offered: isOffered,
    begin,
    end,
    dismiss: seen,
    addressOf: getStepAddress,
  }
})
