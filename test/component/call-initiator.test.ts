import { flushPromises } from '@vue/test-utils'
import { afterEach, expect, test, vi } from 'vitest'
import CallInitiator from '../../renderer/panes/panel/CallInitiator.vue'
import CallNotes from '../../renderer/places/panel/CallNotes.vue'
import { usePanel } from '../../renderer/stores/panel.ts'
import type { CallFrame } from '../../shared/traffic/call-initiator.ts'
import { findAllByRole, getByRole, installFakeServiceProcess, mountComponent } from '../support/vue/mounting.ts'
import { createPanelCall, createPanelNote, createPanelState } from '../support/vue/panel-state.ts'

afterEach(() => {
  document.body.innerHTML = ''
})

const ownFrame: CallFrame = {
  functionName: 'readOpenSet',
  file: '/assets/index.js',
  line: 1,
  column: 900,
  isAsync: false,
  original: { file: '/src/App.vue', line: 2, column: 3 },
  isLibrary: false,
  isWrapper: false,
}
const library: CallFrame = {
  ...ownFrame,
  functionName: 'send',
  original: null,
  file: '/node_modules/x.js',
  isLibrary: true,
}

async function mountInitiator(changed: Parameters<typeof createPanelCall>[0], caller = 'opening-1') {
  const page = installFakeServiceProcess({
    'panel.get': () => createPanelState({ pageLoad: 2 }),
    'panel.source': (input) => {
      const { position, isOriginal } = input as { position: object; isOriginal: boolean }
      return {
        meta: { position: isOriginal ? ownFrame.original : position, isOriginal },
        bytes: new TextEncoder().encode('first\nsecond\n').buffer,
      }
    },
  })
  mountComponent(CallInitiator, { props: { call: createPanelCall(changed), caller, load: 1 } })
  await usePanel().load()
  await flushPromises()
  return page
}
const text = () => getByRole('region', 'Initiator').textContent
const click = async (name: string) => {
  getByRole('button', name).click()
  await flushPromises()
}

test('names the page’s own line, and shows the whole stack on request', async () => {
  await mountInitiator({ frames: [library, ownFrame, { ...ownFrame, functionName: '', isAsync: true }] })
  expect(text()).toContain('/src/App.vue:2')
  expect(text()).not.toContain('/node_modules/x.js')
  await click('2 more frames')
  const frames = [...document.querySelectorAll('li')].map((frame) => frame.textContent)
  expect(frames).toHaveLength(2)
  expect(frames[0]).toContain('package')
  expect(frames[1]).toMatch(/\(anonymous\).*awaits/)
  expect(text()).not.toContain('At most')
})

test('says that the line is of a package, and where the stack is cut', async () => {
  await mountInitiator({ frames: Array.from({ length: 20 }, () => ({ ...library })) })
  expect(text()).toContain('package')
  await click('19 more frames')
  expect(text()).toContain('At most the first 20 frames are kept.')
})

test('opens the file at the line, and copies path:line', async () => {
  const page = await mountInitiator({ frames: [ownFrame] })
  const writeText = vi.spyOn(navigator.clipboard, 'writeText').mockResolvedValue(undefined)
  await click('/src/App.vue:2')
  expect(getByRole('dialog', 'Source').textContent).toContain('The page was loaded again since')
  await click('Copy path:line')
  expect(writeText).toHaveBeenLastCalledWith('/src/App.vue:2')
  getByRole('radio', 'As the page runs it').click()
  await flushPromises()
  await click('Copy path:line')
  expect(writeText).toHaveBeenLastCalledWith('/assets/index.js:1')
  const inputs = page.calls.filter(({ method }) => method === 'panel.source').map(({ input }) => input)
  expect(inputs).toEqual([
    { caller: 'opening-1', position: { file: '/assets/index.js', line: 1, column: 900 }, isOriginal: true },
    { caller: 'opening-1', position: { file: '/assets/index.js', line: 1, column: 900 }, isOriginal: false },
  ])
})

test('leads nowhere once the panel is not open any more, or if the code has no file', async () => {
  await mountInitiator({ frames: [ownFrame] }, 'another opening')
  expect(text()).toContain('/src/App.vue:2')
  expect(findAllByRole('button')).toEqual([])
  document.body.innerHTML = ''
  await mountInitiator({ frames: [{ ...ownFrame, file: 'blob:null/1', original: null }] })
  expect(findAllByRole('button')).toEqual([])
})

test('leads to the place that names the address of an element', async () => {
  const position = { file: '/index.html?x', line: 7, column: 12, original: null }
  const page = await mountInitiator({ frames: null, loader: { destination: 'image', file: '/index.html?x', position } })
  expect(text()).toContain('loads it as “image”')
  await click('/index.html:7')
  expect(getByRole('dialog', 'Source').textContent).toContain('/index.html:7')
  expect(page.calls.find(({ method }) => method === 'panel.source')?.input).toEqual({
    ...{ caller: 'opening-1', isOriginal: false },
    position: { file: '/index.html?x', line: 7, column: 12 },
  })
})

test('says plainly what is not known', async () => {
  await mountInitiator({ frames: null })
  expect(text()).toContain('Not known: no stack came with this call.')
  document.body.innerHTML = ''
  await mountInitiator({ frames: null, loader: { destination: 'image', file: '/index.html?x', position: null } })
  expect(text()).toContain('/index.html loads it as “image”.')
  document.body.innerHTML = ''
  await mountInitiator({ frames: null, loader: { destination: 'image', file: '', position: null } })
  expect(text()).toContain('The page loaded it as “image”.')
  document.body.innerHTML = ''
  await mountInitiator({ frames: null, loader: { destination: '', file: '/worker.js?v=1', position: null } })
  expect(text()).toContain('Not known: a worker made it (/worker.js).')
})

test('what the page printed and threw around a call stands beside it', async () => {
  installFakeServiceProcess({ 'panel.get': () => createPanelState() })
  const [pageId, otherId] = ['0123456789ab-1', '0123456789ab-2']
  const position = { file: '/main.js', line: 4, column: 2 }
  mountComponent(CallNotes, { props: { call: createPanelCall({ pageId }), caller: 'opening-1', load: 1 } })
  const panel = usePanel()
  await panel.load()
  panel.notes = [
    createPanelNote({ seq: 1, text: 'printed', textLength: 30_000, calls: [otherId, pageId], ...position }),
    createPanelNote({ seq: 2, text: 'elsewhere', calls: [otherId] }),
    createPanelNote({ seq: 3, kind: 'error', level: 'error', text: 'TypeError', rejectedCall: pageId, ...position }),
  ]
  await flushPromises()
  const beside = getByRole('region', 'Printed and thrown around this call')
  expect(beside.textContent).toContain('printed')
  expect(beside.textContent).toContain('Only the first 7 of 30,000 characters were kept.')
  expect(beside.textContent).not.toContain('elsewhere')
  const rejection = getByRole('region', 'Ended in an unhandled rejection')
  expect(rejection.textContent).toContain('TypeError')
  expect(rejection.textContent).not.toContain('characters were kept')
  expect(getByRole('button', '/main.js:4', rejection)).toBeTruthy()
})
