import { afterEach, expect, test, vi } from 'vitest'
import { nextTick, type Component } from 'vue'
import ContextView from '../../../renderer/places/host/ContextView.vue'
import GuideView from '../../../renderer/panes/contract/GuideView.vue'
import StatusView from '../../../renderer/places/host/StatusView.vue'
import SetupView from '../../../renderer/places/host/SetupView.vue'
import { useConnection } from '../../../renderer/stores/connection.ts'
import { useUi } from '../../../renderer/stores/ui.ts'
import { createReadReply } from '../../support/vue/read-reply.ts'
import { getByRole, installFakeServiceProcess, mountComponent } from '../../support/vue/mounting.ts'
import { appInfo, createConnectionState } from '../../support/vue/states.ts'

afterEach(() => {
  document.body.innerHTML = ''
})

/** A view of the host whose read returns this body. */
function mountAndReadText(view: Component, endpoint: string, body: string): () => string {
  installFakeServiceProcess({ 'bridge.read': () => createReadReply(endpoint, body), 'app.info': () => appInfo })
  const page = mountComponent(view)
  useConnection().state = createConnectionState()
  return () => page.text()
}

test('an empty guide is reported as empty', async () => {
  const text = mountAndReadText(GuideView, 'guide.get', ' \n')
  await vi.waitFor(() => expect(text()).toContain('This host’s guide is empty'))
})

test('a guide in another charset is read as it says, and is no data problem', async () => {
  const { meta } = createReadReply('guide.get', '')
  const bytes = Uint8Array.from([0x23, 0x20, 0xd6, 0xb8, 0xc4, 0xcf]).buffer
  installFakeServiceProcess({
    'bridge.read': () => ({ meta: { ...meta, contentType: 'text/markdown; charset=gb18030' }, bytes }),
    'app.info': () => appInfo,
  })
  const page = mountComponent(GuideView)
  useConnection().state = createConnectionState()
  await vi.waitFor(() => expect(page.text()).toContain('指南'))
  expect(page.text()).not.toMatch(/data problem|UTF-8/i)
})

test('a study set of the context without an id keeps its title', async () => {
  const context = { available: true, studySet: { title: 'Anatomy' }, documents: [] }
  const text = mountAndReadText(ContextView, 'context.get', JSON.stringify(context))
  await vi.waitFor(() => expect(text()).toContain('Anatomy'))
})

test('documents of the context link to their pages within the study set of the context', async () => {
  const context = {
    available: true,
    studySet: { topicid: 'T-1', title: 'Anatomy' },
    documents: [{ bookmd5: 'B-1', title: 'Atlas' }],
  }
  const text = mountAndReadText(ContextView, 'context.get', JSON.stringify(context))
  await vi.waitFor(() => expect(text()).toContain('Atlas'))
  expect(getByRole('link', 'Atlas').getAttribute('href')).toBe('/documents/B-1/pages?topicid=T-1')
})

test('safety 52: a selected card is not hidden behind thousands of documents', async () => {
  const documents = Array.from({ length: 2_000 }, (_, index) => ({ bookmd5: `B-${index}`, title: `Atlas ${index}` }))
  const selectedNotes = [{ noteid: 'N-1', title: 'Left ventricle' }]
  const text = mountAndReadText(
    ContextView,
    'context.get',
    JSON.stringify({ available: true, documents, selectedNotes }),
  )
  await vi.waitFor(() => expect(text()).toContain('Atlas 0'))
  expect(text()).toContain('Left ventricle')
  getByRole('button', 'Show 300 more of 1,700')
})

test('bare ids in the context are listed, and their conversion is reported', async () => {
  const context = { available: true, studySet: 'T-1', documents: ['B-1'], selectedNotes: ['N-1', 'N-2'] }
  const text = mountAndReadText(ContextView, 'context.get', JSON.stringify(context))
  await vi.waitFor(() => expect(text()).toContain('N-2'))
  for (const id of ['T-1', 'B-1', 'N-1']) expect(text()).toContain(id)
  expect(text()).toContain('4 values read in another shape')
})

test('safety 59: an installation code is escaped into a single word of the shell command', async () => {
  installFakeServiceProcess({
    'connection.installCode': () => ({ code: "x'$(touch ran)'\u0003", expiresInSeconds: 600 }),
  })
  mountComponent(SetupView)
  useConnection().state = createConnectionState()
  await nextTick()
  getByRole('button', 'Create a code').click()
  const word = String.raw`'http://127.0.0.1:42340/bridge/v1/install?code=x'\''%24(touch%20ran)'\''%03'`
  await vi.waitFor(() => getByRole('button', `Copy Installation command: curl -fsS ${word} | sh`))
})

test('the status of a host that is gone shows the reason, a retry and a diagnosis, and marks older data', async () => {
  const error = { kind: 'offline' as const, code: 'CONNECTION_REFUSED', message: 'nobody', retryable: true }
  const step = {
    step: 'tcp' as const,
    result: 'failed' as const,
    code: 'tcp-refused',
    message: 'm',
    action: 'a',
    durationMs: 1,
  }
  const { calls } = installFakeServiceProcess({
    'bridge.read': () => createReadReply('status.get', '{"app":"Notes"}'),
    'connection.retry': () => createConnectionState({ phase: 'offline', error }),
    'connection.doctor': () => [step],
  })
  const page = mountComponent(StatusView)
  // There is no row to select.
  expect(useUi().awaitsSelection).toBe(false)
  useConnection().state = createConnectionState()
  await vi.waitFor(() => expect(page.text()).toContain('Notes 4.9.1'))
  expect(page.findAll('[role=alert]')).toHaveLength(0)
  useConnection().state = createConnectionState({ phase: 'offline', error })
  await vi.waitFor(() => expect(getByRole('alert').textContent).toContain('CONNECTION_REFUSED'))
  expect(getByRole('note').textContent).toContain('The host doesn’t respond; read earlier')
  getByRole('button', 'Retry now').click()
  getByRole('button', 'Diagnose').click()
  await vi.waitFor(() => expect(getByRole('region', 'Connection diagnosis').textContent).toContain('a'))
  expect(calls.map(({ method }) => method)).toEqual(expect.arrayContaining(['connection.retry', 'connection.doctor']))
})
