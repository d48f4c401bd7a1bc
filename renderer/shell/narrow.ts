import { useMediaQuery } from '@vueuse/core'
import type { Ref } from 'vue'

/** Whether the inspector lies over the content for lack of room; InspectorPane.vue has the same width. */
export const useNarrow = (): Ref<boolean> => useMediaQuery('(width < 1100px)')
