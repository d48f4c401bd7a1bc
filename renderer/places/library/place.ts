/**
 * Study sets, decks and document folders of the host. The contents of a study set or a deck have
 * places of their own. Start with `LibraryPlace.vue`.
 */
import { LibraryBig } from '@lucide/vue'
import { definePlace } from '../../stores/place-definition.ts'
import { until } from '@vueuse/core'
import { useI18n } from 'vue-i18n'
import { useRouter } from 'vue-router'
import { useLibrary } from '../../stores/library.ts'
import { usePaletteSource } from '../../stores/palette.ts'

/** After this time the palette opens without the study sets of a slow host. */
const MAX_WAIT_MS = 3000

/** Offers the host's study sets in the palette. */
function useStudySetSource(): void {
  const { t, n } = useI18n()
  const router = useRouter()
  usePaletteSource({
    id: 'study-sets',
    titleKey: 'library.studySets',
    async items() {
      // The library is read only once the palette opens.
      const library = useLibrary()
      if (library.studySets.newestChange) void library.studySets.reload()
      await until(() => library.studySets.status).not.toBe('loading', { timeout: MAX_WAIT_MS })
      return library.studySetList.map(({ topicid, title, noteCount }) => ({
        id: topicid,
        title: title || t('common.untitled'),
        detail: noteCount === undefined ? topicid : t('palette.cards', { n: n(noteCount) }, noteCount),
        run: () => void router.push(`/study-sets/${encodeURIComponent(topicid)}/tree`),
      }))
    },
  })
}

export const place = definePlace({
  id: 'library',
  install: useStudySetSource,
  nav: { labelKey: 'library.title', icon: LibraryBig, group: 'explore', order: 1, to: '/library', key: 'L' },
  routes: [
    {
      path: '/library',
      name: 'library',
      component: () => import('./LibraryPlace.vue'),
      meta: { titleKey: 'library.title' },
    },
  ],
})
