import { defineStore } from './define-store.ts'
import { computed, ref, shallowReactive } from 'vue'
import type { RouteLocationRaw } from 'vue-router'
import { useConnection } from './connection.ts'
import { useLibrary } from './library.ts'
import { useSettings } from './settings.ts'
import { useTree } from './tree.ts'

/** The steps of the tour in order. Each step opens a page. */
export const tourSteps = ['library', 'tree', 'card', 'panel', 'traffic', 'console', 'operations', 'host'] as const
type TourStep = (typeof tourSteps)[number]

/** The demo's welcome, which offers the tour, until it is closed; a command shows it. */
export const useTour = defineStore('tour', () => {
  const connection = useConnection()
  const library = useLibrary()
  const settings = useSettings()
  const tree = useTree()
  /** Ids of the first choices that were used in this run. */
  const usedChoices = shallowReactive(new Set<string>())
  /** Index of the current step in `tourSteps`; null if there is no tour in progress. */
  const stepIndex = ref<number | null>(null)
  const step = computed<TourStep | null>(() => (stepIndex.value === null ? null : (tourSteps[stepIndex.value] ?? null)))
  const isDemoOnline = computed(() => connection.online && connection.state.profile?.demo === true)
  const isDismissed = computed(() => settings.values.tourSeen)
  const isOffered = computed(() => stepIndex.value === null && !isDismissed.value && isDemoOnline.value)

  const topicid = computed(() => library.studySetList[0]?.topicid)
  const isTreeLoaded = computed(() => tree.key?.topicid === topicid.value && tree.loadedCount > 0)
  /** True once a study set was read, and also its tree for the step that shows a card. */
  const isReady = computed(() => topicid.value !== undefined && (step.value !== 'card' || isTreeLoaded.value))

  const begin = (): void => void (stepIndex.value = 0)
  const offer = (): void => settings.update({ tourSeen: false })
  const end = (): void => void (stepIndex.value = null)

  /** Names the library's first study set or, once the tree is read, the first card. */
  function getStepAddress(targetStep: TourStep): RouteLocationRaw {
    if (targetStep === 'host') return '/contract'
    if (targetStep !== 'tree' && targetStep !== 'card') return `/${targetStep}`
    if (topicid.value === undefined) return '/library'
    if (targetStep === 'card' && isTreeLoaded.value)
      return { path: `/notes/${encodeURIComponent(tree.forest.getNoteid(0))}`, query: { topicid: topicid.value } }
    return `/study-sets/${encodeURIComponent(topicid.value)}/tree`
  }

  return {
    stepIndex,
    step,
    isReady,
    isDemoOnline,
    isDismissed,
    isOffered,
    offer,
    begin,
    end,
    dismiss: (): void => settings.update({ tourSeen: true }),
    usedChoices,
    getStepAddress,
  }
})
