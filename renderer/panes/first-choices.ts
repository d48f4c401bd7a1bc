import { useRouter } from 'vue-router'
import { useLibrary } from '../stores/library.ts'
import { usePanel } from '../stores/panel.ts'
import { observeNavigations } from './late-navigation.ts'

/** Opens the places of the first choices once the demo is connected. */
export function useFirstChoices() {
  const router = useRouter()
  const navigations = observeNavigations(router)
  const panel = usePanel()
  const library = useLibrary()
  return {
    /** Opens the tree of the study set with the most cards, or the library if none was read. */
    async openLargestSet(): Promise<void> {
      const { begunCount } = navigations
      if (library.studySetList.length === 0) await library.reload()
      const [largest] = [...library.studySetList].sort((a, b) => (b.noteCount ?? 0) - (a.noteCount ?? 0))
      if (navigations.begunCount !== begunCount) return
      await router.push(largest ? `/study-sets/${encodeURIComponent(largest.topicid)}/tree` : '/library')
    },
    async openSamplePanel({ showsFailure }: { showsFailure: boolean }): Promise<void> {
      panel.requestOpening({ source: { kind: 'sample', name: 'practice-mistake' }, shouldShowFailure: showsFailure })
      await router.push('/panel')
    },
  }
}
