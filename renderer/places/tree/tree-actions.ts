import { computed } from 'vue'
import { useRoute, useRouter } from 'vue-router'
import { useActions, type ActionInfo } from '../../stores/shortcuts.ts'

export const treeActions = {
  switchView: { id: 'tree.switchView', titleKey: 'tree.switchView', groupKey: 'tree.place', keys: 'F4' },
} as const satisfies Record<string, ActionInfo>

/** Shows the same cards as a tree or as a map, with the selection and the filter. */
export function useViewSwitch(focus: () => void) {
  const route = useRoute()
  const router = useRouter()
  const isMap = computed(() => route.name === 'map')
  async function showView(name: 'tree' | 'map'): Promise<void> {
    await router.push({ name, params: route.params, query: route.query })
    focus()
  }
  useActions([{ ...treeActions.switchView, run: () => void showView(isMap.value ? 'tree' : 'map') }])
  return { isMap, showView }
}
