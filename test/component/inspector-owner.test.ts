import { createPinia, setActivePinia } from 'pinia'
import { beforeEach, expect, test } from 'vitest'
import { effectScope, nextTick, shallowRef } from 'vue'
import { awaitSelection, useInspector, useInspectorToggle, useUi } from '../../renderer/stores/ui.ts'
import { useSettings } from '../../renderer/stores/settings.ts'

beforeEach(() => setActivePinia(createPinia()))

const titled = (title: string) => ({ component: { render: () => null }, title })

test('a place without a selection leaves the followed card in the inspector, even if it is opened later', async () => {
  const ui = useUi()
  ui.showInspector(Symbol('follow'), titled('followed'))
  const selected = shallowRef<ReturnType<typeof titled> | null>(null)
  const place = effectScope()
  place.run(() => useInspector(() => selected.value))
  await nextTick()
  expect(ui.inspector?.title).toBe('followed')

  selected.value = titled('selected here')
  await nextTick()
  expect(ui.inspector?.title).toBe('selected here')
  selected.value = null
  await nextTick()
  expect(ui.inspector?.title).toBe('followed')

  selected.value = titled('selected here')
  await nextTick()
  ui.showInspector(Symbol('another'), titled('followed again'))
  place.stop()
  expect(ui.inspector?.title).toBe('followed again')
})

test('the selection of the place returns to the inspector when following ends', async () => {
  const ui = useUi()
  const follow = Symbol('follow')
  const place = effectScope()
  place.run(() => useInspector(() => titled('selected here')))
  await nextTick()
  ui.showInspector(follow, titled('followed'))
  expect(ui.inspector?.title).toBe('followed')
  ui.releaseInspector(follow)
  expect(ui.inspector?.title).toBe('selected here')
  place.stop()
  expect(ui.inspector).toBeNull()
})

test('the inspector waits for a selection only while a row can be selected', async () => {
  const ui = useUi()
  const rows = shallowRef<readonly string[]>([])
  const place = effectScope()
  place.run(() => useInspector(() => awaitSelection(rows.value)))
  expect(ui.awaitsSelection).toBe(false)
  rows.value = ['row']
  await nextTick()
  expect(ui.awaitsSelection).toBe(true)
  place.stop()
  expect(ui.awaitsSelection).toBe(false)
})

test('the key for the inspector opens a pane that waits for the user, and hides one that is shown', () => {
  const ui = useUi()
  const settings = useSettings()
  const toggle = useInspectorToggle()
  expect(settings.values.inspectorOpen).toBe(true)
  toggle()
  expect([ui.isInspectorRequested, settings.values.inspectorOpen]).toEqual([true, true])
  ui.isInspectorShown = true
  toggle()
  expect([ui.isInspectorRequested, settings.values.inspectorOpen]).toEqual([false, false])
})
