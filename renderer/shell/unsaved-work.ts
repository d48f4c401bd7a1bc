import { computed, onScopeDispose, watch } from 'vue'
import type { UnsavedWork } from '../../shared/ipc/app.ts'
import { typedDialogCount } from '../components/open-layers.ts'
import { call } from '../ipc/call.ts'
import { useAgents } from '../stores/agents.ts'
import { useApp } from '../stores/app.ts'
import { useBreakpoints } from '../stores/breakpoints.ts'
import { useOperations } from '../stores/operations.ts'
import { usePanel } from '../stores/panel.ts'

/** The browser, or the desktop app to which it is reported, asks before unsaved work is lost. */
export function guardUnsavedWork(): void {
  const app = useApp()
  const agents = useAgents()
  const breakpoints = useBreakpoints()
  const operations = useOperations()
  const panel = usePanel()
  const unsaved = computed<UnsavedWork>(() => ({
    writes: operations.unfinished,
    heldCalls: breakpoints.state.held.length + panel.pendingWrites.length + agents.proposals.length,
    forms: typedDialogCount.value,
  }))
  const isEmpty = (): boolean => Object.values(unsaved.value).every((count) => count === 0)

  function onBeforeUnload(event: BeforeUnloadEvent): void {
    // The program loads the page anew when it shows something else, which the user has chosen.
    if (!isEmpty() && !app.isReloading) event.preventDefault()
  }
  if (app.info?.mode === 'desktop')
    watch(unsaved, (work) => void call('app.reportUnsaved', { ...work }).catch(() => undefined), { immediate: true })
  else {
    window.addEventListener('beforeunload', onBeforeUnload)
    onScopeDispose(() => window.removeEventListener('beforeunload', onBeforeUnload))
  }
}
