import { flushPromises } from '@vue/test-utils'
import { afterEach, describe, expect, test, vi } from 'vitest'
import ContentTab from '../../renderer/places/card/ContentTab.vue'
import ContentView from '../../renderer/panes/content/ContentView.vue'
import MaxEdgeField from '../../renderer/panes/content/MaxEdgeField.vue'
import LimitsView from '../../renderer/places/host/LimitsView.vue'
import { parseCardParts } from '../../renderer/model/cards/card-parts.ts'
import { useConnection } from '../../renderer/stores/connection.ts'
import { AppError } from '../../shared/errors.ts'
import type { ContentRef } from '../../shared/ipc/content.ts'
import { createReadReply } from '../support/vue/read-reply.ts'
import {
  findAllByRole,
  getByRole,
  installFakeServiceProcess,
  mountComponent,
  type FakeServiceProcess,
} from '../support/vue/mounting.ts'
import { appInfo, createConnectionState, createContentFacts } from '../support/vue/states.ts'

afterEach(() => {
  document.body.innerHTML = ''
})

/** A host with these limits in its capabilities, which refuses every edge. */
function hostWith(limits: object): FakeServiceProcess {
  const capabilities = JSON.stringify({ routes: [{ method: 'GET', path: '/status' }], limits })
  return installFakeServiceProcess({
    'app.info': () => appInfo,
    'bridge.read': () => createReadReply('capabilities.get', capabilities),
    'content.release': () => ({}),
    'content.open': (input) => {
      const { query } = input as ContentRef
      if (query['maxEdge'] === undefined) return createContentFacts('h')
      const wire = { kind: 'host', code: 'BAD_EDGE', message: 'No such edge.', status: 422, retryable: false } as const
      throw new AppError(wire)
    },
  })
}

const source: ContentRef = { endpoint: 'notes.content', params: { noteid: 'N', contentId: 'C' }, query: {} }
const field = (): HTMLInputElement => getByRole('textbox', /^Longest edge/) as HTMLInputElement

async function enter(text: string): Promise<void> {
  field().value = text
  field().dispatchEvent(new Event('input'))
  field().dispatchEvent(new Event('change'))
  await flushPromises()
}

test('bytes that do not decode as declared are shown with the words of the body view', async () => {
  installFakeServiceProcess({
    'app.info': () => appInfo,
    'content.release': () => ({}),
    'content.open': () => ({ ...createContentFacts('h'), undecodable: true }),
  })
  mountComponent(ContentView, { props: { source, name: 'Picture' } })
  await flushPromises()
  expect(findAllByRole('note').map(({ textContent }) => textContent)).toContain(
    'These bytes do not decode as their Content-Encoding says. They are shown as they were received (9 B).',
  )
})

test('a response without bytes has no type', async () => {
  installFakeServiceProcess({
    'app.info': () => appInfo,
    'content.release': () => ({}),
    'content.open': () => ({
      ...createContentFacts('h'),
      ...{ status: 204, declaredType: '', kind: 'binary', mediaType: 'application/octet-stream', byteLength: 0 },
    }),
  })
  mountComponent(ContentView, { props: { source, name: 'Picture' } })
  await flushPromises()
  expect(document.body.textContent).toContain('0 bytes')
  expect(document.body.textContent).not.toContain('octet-stream')
})

test('the longest edge has the range and the default of the host', async () => {
  hostWith({ images: { maxEdge: { min: 16, max: 9000, default: 1024 } } })
  const page = mountComponent(MaxEdgeField, { props: { modelValue: null, endpoint: 'notes.content' } })
  // The specification shows a default for the handwriting of a page alone.
  expect(field().placeholder).toBe('host default')
  useConnection().state = createConnectionState()
  await vi.waitFor(() => expect(field().placeholder).toBe('host default (1024)'))
  getByRole('textbox', 'Longest edge to request from the host, 16 to 9000 pixels')
  expect([...document.querySelectorAll('option')].at(-1)?.value).toBe('9000')
  await enter('9001')
  expect(getByRole('alert').textContent).toContain('A whole number from 16 to 9000')
  expect(page.emitted('update:modelValue')).toBeUndefined()
  await enter('9000')
  expect(page.emitted('update:modelValue')).toEqual([[9000]])
})

test('another edge can be chosen after the host refused one', async () => {
  const { calls } = hostWith({})
  mountComponent(ContentView, { props: { source, name: 'P', acceptsMaxEdge: true, acceptsLayers: true } })
  useConnection().state = createConnectionState()
  await flushPromises()
  expect(findAllByRole('alert')).toEqual([])
  await enter('700')
  await vi.waitFor(() => expect(getByRole('alert').textContent).toContain('BAD_EDGE'))
  expect(field().value).toBe('700')
  getByRole('radio', 'Composite')
  await enter('600')
  const edges = calls.filter(({ method }) => method === 'content.open').map(({ input }) => (input as ContentRef).query)
  expect(edges.at(-1)).toEqual({ maxEdge: 600 })
  expect(field().value).toBe('600')
})

describe('the layers of a picture', () => {
  /** Mounts the content of a card whose composite and base have these bytes. */
  async function mountLayers(parameters: unknown, layerBytes: { composite: string; base: string }) {
    const routes = [{ method: 'GET', path: '/notes/{id}/content/{contentId}', parameters }]
    const { calls } = installFakeServiceProcess({
      'app.info': () => appInfo,
      'bridge.read': () => createReadReply('capabilities.get', JSON.stringify({ routes })),
      'content.release': () => ({}),
      'content.open': (input) =>
        createContentFacts((input as ContentRef).query['layers'] === 'base' ? 'base' : 'composite'),
      'content.slice': (input) => {
        const { handle, start } = input as { handle: 'composite' | 'base'; start: number }
        const bytes = new TextEncoder().encode(layerBytes[handle]).buffer
        return { meta: { start, total: bytes.byteLength }, bytes }
      },
    })
    const parts = [{ contentId: 'C', kind: 'image', contentPath: '/notes/N/content/C' }]
    const item = { noteid: 'N', parts }
    mountComponent(ContentTab, {
      props: { noteid: 'N', item, parts: parseCardParts(item), source: null, content: 'C' },
    })
    useConnection().state = createConnectionState()
    await vi.waitFor(() => getByRole('radio', 'Base'))
    await flushPromises()
    getByRole('radio', 'Base').click()
    const getOpened = (): ContentRef[] =>
      calls.filter(({ method }) => method === 'content.open').map(({ input }) => input as ContentRef)
    await vi.waitFor(() => expect(getOpened().some(({ query }) => query['layers'] === 'base')).toBe(true))
    return { getOpened, calls }
  }
  const text = (): string => document.body.textContent

  test('are asked for under the name that the host lists, and said to be equal if their bytes are', async () => {
    const parameters = [{ name: 'maxEdge' }, { name: 'picture', in: 'query', values: ['composite', 'base'] }]
    const { getOpened } = await mountLayers(parameters, { composite: 'same', base: 'same' })
    expect(
      getOpened()
        .filter(({ query }) => query['layers'] === 'base')
        .at(-1)?.layersName,
    ).toBe('picture')
    await vi.waitFor(() => expect(text()).toContain('The host sent the same bytes for the composite and for the base.'))
    expect(text()).not.toContain('it may not know')
  })

  test('are asked for by a guess if no name is listed, and this is said if they are equal', async () => {
    const { getOpened } = await mountLayers([{ name: 'maxEdge' }], { composite: 'same', base: 'same' })
    expect(getOpened().at(-1)?.layersName).toBeUndefined()
    await vi.waitFor(() => expect(text()).toContain('it may not know “layers”'))
  })

  test('are not said to be equal if their bytes differ', async () => {
    const { calls } = await mountLayers([], { composite: 'some', base: 'same' })
    await vi.waitFor(() => expect(calls.filter(({ method }) => method === 'content.slice')).toHaveLength(2))
    await flushPromises()
    expect(text()).not.toContain('the same bytes')
  })
})

test('the limits table lists every number of the capabilities with its use, and every limit with its source', async () => {
  hostWith({ maxNoteIds: 30, batchGet: { maxItems: 20 }, coffee: { perDay: 7 }, tree: { limit: { max: 700 } } })
  mountComponent(LimitsView)
  useConnection().state = createConnectionState()
  const rowOf = (grid: string, text: string): string | undefined =>
    findAllByRole('row', undefined, getByRole('grid', grid))
      .map((row) => row.textContent.replace(/\s+/g, ' '))
      .find((row) => row.includes(text))
  await vi.waitFor(() => expect(rowOf('Numbers in the capabilities', '/limits/coffee/perDay')).toBeDefined())
  expect(rowOf('Numbers in the capabilities', '/limits/coffee/perDay')).toMatch(/7.*nothing: not known what it limits/)
  expect(rowOf('Numbers in the capabilities', '/limits/batchGet/maxItems')).toMatch(
    /20.*POST \/notes\/batch-get noteIds/,
  )
  expect(rowOf('Numbers in the capabilities', '/limits/maxNoteIds')).toMatch(/30.*POST \/notes\/hashtags noteIds/)
  expect(rowOf('Limits in effect', '/notes/batch-get')).toMatch(/noteIds.*20.*\/limits\/batchGet\/maxItems/)
  expect(rowOf('Limits in effect', '/study-sets/{topicid}/tree')).toMatch(
    /limit1700700From: contract, To: \/limits\/tree\/limit\/max, Default: contract/,
  )
  expect(rowOf('Limits in effect', '/notes/{noteid}/render')).toMatch(/width.*320.*1200.*seen on 0\.49/)
})
