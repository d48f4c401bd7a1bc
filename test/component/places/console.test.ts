import { flushPromises } from '@vue/test-utils'
import { afterEach, describe, expect, test, vi } from 'vitest'
import AppAutoComplete from '../../../renderer/components/AppAutoComplete.vue'
import ConsolePlace from '../../../renderer/places/console/ConsolePlace.vue'
import SchemaForm from '../../../renderer/panes/write/SchemaForm.vue'
import { readEndpoint } from '../../../renderer/stores/host-read.ts'
import { useApp } from '../../../renderer/stores/app.ts'
import { useConnection } from '../../../renderer/stores/connection.ts'
import { useConsole } from '../../../renderer/stores/console.ts'
import { useOperations } from '../../../renderer/stores/operations.ts'
import { createRefusedError } from '../../../shared/errors.ts'
import type { Collection, ConsoleTab } from '../../../shared/ipc/console.ts'
import type { TrafficInfo } from '../../../shared/ipc/traffic.ts'
import type { MethodName } from '../../../shared/ipc/index.ts'
import { createReadReply } from '../../support/vue/read-reply.ts'
import { createCompleteBody, createExchangeDetail, createExchangeRow } from '../../support/vue/exchanges.ts'
import { createOperation } from '../../support/vue/operations.ts'
import {
  findAllByRole,
  getByRole,
  installFakeServiceProcess,
  pressKey,
  mountComponent,
} from '../../support/vue/mounting.ts'
import { appInfo, createConnectionState } from '../../support/vue/states.ts'

afterEach(() => {
  document.body.innerHTML = ''
})

const tab = (part: Partial<ConsoleTab> = {}): ConsoleTab => ({
  id: 't1',
  method: 'GET',
  path: '/status',
  body: null,
  saved: null,
  seq: null,
  ...part,
})
const trafficInfo: TrafficInfo = {
  kind: 'disk',
  reason: null,
  paused: false,
  exchanges: 2,
  bytes: 100,
  oldestAt: 1,
  runStartedAt: 1_000,
  newestAt: 1_000,
  droppedBodies: 0,
  setAside: null,
}
const capabilities = JSON.stringify({
  routes: [
    { method: 'GET', path: '/status' },
    { method: 'GET', path: '/study-sets/{id}/tree' },
    { method: 'POST', path: '/plugin/things', requiresMax: true },
  ],
})

const namedNotes = JSON.stringify({ notes: [{ noteid: '11111111-2222-4333-8444-555555555555', title: 'Neck' }] })

type Answers = Partial<Record<MethodName, (input: unknown) => unknown>>

async function opened(
  tabs: readonly ConsoleTab[],
  { collections = [], ...more }: Answers & { collections?: readonly Collection[] } = {},
) {
  const page = installFakeServiceProcess({
    'app.info': () => appInfo,
    'bridge.read': (input) =>
      (input as { endpoint: string }).endpoint === 'notes.batchGet'
        ? createReadReply('notes.batchGet', namedNotes)
        : createReadReply('capabilities.get', capabilities),
    'console.tabs': () => ({ tabs, current: tabs[0]?.id ?? null }),
    'console.saveTabs': () => ({}),
    'console.collections': () => ({ folder: '/data/collections', chosen: false, collections, unreadable: [] }),
    'operations.writing': () => ({ profileId: 'p1', writing: 'unlocked' }),
    ...more,
  } as Parameters<typeof installFakeServiceProcess>[0])
  const place = mountComponent(ConsolePlace)
  useConnection().state = createConnectionState()
  await flushPromises()
  await vi.waitFor(() => expect(findAllByRole('textbox', 'Path')).toHaveLength(1))
  const listInputs = (method: MethodName): unknown[] =>
    page.calls.filter((call) => call.method === method).map(({ input }) => input)
  return { place, listInputs }
}
const pathField = (): HTMLInputElement => getByRole('textbox', 'Path') as HTMLInputElement
async function type(field: HTMLInputElement, text: string): Promise<void> {
  field.value = text
  field.dispatchEvent(new Event('input'))
  await flushPromises()
}
async function send(): Promise<void> {
  getByRole('button', 'Send')
    .closest('form')
    ?.dispatchEvent(new Event('submit', { cancelable: true }))
  await flushPromises()
}

describe('the console', () => {
  test('sends a read as typed, and cancels it', async () => {
    const { place, listInputs } = await opened([tab()], { 'traffic.send': () => new Promise(() => undefined) })
    await type(pathField(), '/nobody/knows?x=a+b&x=%20')
    expect(place.text()).toContain('Neither the contract nor the host lists this path.')
    await send()
    expect(listInputs('traffic.send')).toEqual([{ method: 'GET', path: '/nobody/knows?x=a+b&x=%20', body: null }])
    expect(findAllByRole('progressbar')).toHaveLength(1)
    getByRole('button', 'Cancel').click()
    await flushPromises()
    expect(findAllByRole('progressbar')).toHaveLength(0)
    expect(findAllByRole('alert')).toHaveLength(0)
  })

  test('offers ids from recorded exchanges of earlier runs with the same host', async () => {
    const bodies: Readonly<Record<number, string>> = {
      7: JSON.stringify({ studySets: [{ topicid: 'S-EARLIER', title: 'Physics' }] }),
      8: 'no JSON',
    }
    const row = (seq: number, path: string) =>
      createExchangeRow({
        seq,
        id: `id-${seq}`,
        path,
        mediaType: 'application/json',
        bytes: 60,
        origin: { kind: 'place', label: null },
      })
    const { place, listInputs } = await opened([tab({ path: '/study-sets/{topicid}/tree' })], {
      'traffic.info': () => trafficInfo,
      'traffic.head': () => ({ rows: [row(8, '/guide'), row(7, '/library/study-sets')], newest: 8, isWhole: true }),
      'traffic.body': (input) => {
        const bytes = new TextEncoder().encode(bodies[(input as { seq: number }).seq])
        return { meta: { start: 0, kept: bytes.byteLength }, bytes: bytes.buffer }
      },
    })
    const offered = (): unknown => place.findComponent(SchemaForm).props('suggestions')
    await vi.waitFor(() =>
      expect(offered()).toMatchObject({ topicid: [{ value: 'S-EARLIER', label: 'Physics · S-EARLIER' }] }),
    )
    const { baseUrl } = createConnectionState().profile ?? { baseUrl: '' }
    for (const input of listInputs('traffic.head')) {
      expect(input).toMatchObject({ filter: { host: baseUrl, to: trafficInfo.runStartedAt - 1 } })
    }
    // The same answer is read once, however many questions find it.
    expect(listInputs('traffic.body')).toHaveLength(2)
  })

  test('offers ids of the current run without a database, and reads nothing for that', async () => {
    const { listInputs } = await opened([tab({ path: '/study-sets/{topicid}/tree' })], {
      'traffic.info': () => ({ ...trafficInfo, kind: 'memory', reason: 'TRAFFIC_NO_DATABASE' }),
    })
    await vi.waitFor(() => expect(listInputs('traffic.info').length).toBeGreaterThan(0))
    await flushPromises()
    expect(listInputs('traffic.head')).toEqual([])
  })

  test.each([
    ['desktop', 1, 'Choose an existing folder'],
    ['browser', 0, 'A browser cannot choose folders'],
  ] as const)(
    'asks for the folder of collections in the way of the %s program',
    async (mode, buttons, expectedText) => {
      const { listInputs } = await opened([tab()], {
        'app.info': () => ({ ...appInfo, mode }),
        'panel.chooseFolder': () => ({ path: '/home/me/repository/requests' }),
        'console.setFolder': () => ({}),
      })
      await useApp().load()
      getByRole('button', 'Choose a folder').click()
      await vi.waitFor(() => expect(getByRole('dialog').textContent).toContain(expectedText))
      const browse = findAllByRole('button', 'Browse…')
      expect(browse).toHaveLength(buttons)
      const field = getByRole('textbox', 'Folder') as HTMLInputElement
      if (mode === 'browser') await type(field, '/home/me/repository/requests')
      else browse[0]?.click()
      await vi.waitFor(() => expect(field.value).toBe('/home/me/repository/requests'))
      getByRole('dialog')
        .querySelector('form')
        ?.dispatchEvent(new Event('submit', { cancelable: true }))
      await vi.waitFor(() =>
        expect(listInputs('console.setFolder')).toEqual([{ folder: '/home/me/repository/requests' }]),
      )
    },
  )

  test('shows why there was no response', async () => {
    await opened([tab()], {
      'traffic.send': () => {
        throw createRefusedError('NOT_CONNECTED', 'Not connected.')
      },
    })
    await send()
    expect(document.querySelector('[aria-label="Answer"]')?.textContent).toContain('NOT_CONNECTED')
  })

  test('does not send a request with an unfilled placeholder or a variable without a value', async () => {
    const { place, listInputs } = await opened([tab({ path: '/study-sets/{topicid}/tree' })])
    await send()
    expect(place.text()).toContain('Fill in the placeholders of the path first: topicid.')
    await type(pathField(), '/study-sets/{{topicid}}/tree')
    await send()
    expect(place.text()).toContain('These variables have no value: topicid.')
    expect(listInputs('traffic.send')).toEqual([])
  })

  test('fills in the variables of the collection to which a request belongs', async () => {
    const requests = [{ name: 'Tree', method: 'GET', path: '/study-sets/{{topicid}}/tree', body: null }]
    const { listInputs } = await opened(
      [tab({ path: '/study-sets/{{topicid}}/tree', saved: { collection: 'c', name: 'Tree' } })],
      {
        collections: [{ id: 'c', name: 'C', variables: { topicid: 'S/1' }, requests }],
        'traffic.send': () => ({ seq: 3 }),
      },
    )
    await send()
    expect(listInputs('traffic.send')).toEqual([{ method: 'GET', path: '/study-sets/S%2F1/tree', body: null }])
    expect(useConsole().tab?.seq).toBe(3)
  })

  test('does not run a collection that was removed from its folder', async () => {
    const requests = [{ name: 'Status', method: 'GET', path: '/status', body: null }]
    let collections: readonly Collection[] = [{ id: 'c', name: 'C', variables: {}, requests }]
    const folder = { folder: '/data/collections', chosen: false, unreadable: [] }
    const { place, listInputs } = await opened([tab()], {
      'console.collections': () => ({ ...folder, collections: collections }),
      // No answer yet.
      'traffic.send': () => new Promise(() => {}),
    })
    const run = await vi.waitUntil(() => findAllByRole('button', 'Run C')[0])
    collections = []
    run.click()
    await vi.waitFor(() => expect(place.text()).toContain('The file of this collection is gone'))
    await flushPromises()
    expect(listInputs('traffic.send')).toEqual([])
    collections = [{ id: 'c', name: 'C', variables: {}, requests }]
    const runAgainButton = getByRole('button', 'Run again')
    runAgainButton.focus()
    runAgainButton.click()
    await vi.waitFor(() => expect(listInputs('traffic.send')).toHaveLength(1))
    expect(place.text()).not.toContain('The file of this collection is gone')
    // It is still there while the run goes on, and starts no second one.
    expect(document.activeElement?.textContent).toContain('Run again')
    runAgainButton.click()
    await flushPromises()
    expect(listInputs('traffic.send')).toHaveLength(1)
  })

  test('runs nothing from a folder that can’t be read', async () => {
    const requests = [{ name: 'Status', method: 'GET', path: '/status', body: null }]
    let readable = true
    const { place, listInputs } = await opened([tab()], {
      'console.collections': () => {
        if (!readable) throw createRefusedError('FOLDER_UNREADABLE', 'The folder can’t be read.')
        return {
          ...{ folder: '/data/collections', chosen: false, unreadable: [] },
          collections: [{ id: 'c', name: 'C', variables: {}, requests }],
        }
      },
      'traffic.send': () => ({ seq: 3 }),
    })
    const run = await vi.waitUntil(() => findAllByRole('button', 'Run C')[0])
    readable = false
    run.click()
    await flushPromises()
    await vi.waitFor(() => expect(place.text()).toContain('The file of this collection is gone, or can'))
    expect(listInputs('traffic.send')).toEqual([])
  })

  test.each([
    ['POST', '/notes/N%201/title', '{"text":  1.50}', 'notes.title'],
    ['POST', '/plugin/things', '{}', 'listed POST /plugin/things'],
  ])('%s %s goes to the review with its body byte for byte, and is not sent', async (method, path, body, endpoint) => {
    const { listInputs } = await opened([tab({ method, path, body })])
    await vi.waitFor(() => expect(document.body.textContent).toContain('Send opens the review'))
    await send()
    const { composedWrite: composing } = useOperations()
    expect(composing).toMatchObject({ endpoint, review: true, body })
    if (endpoint === 'notes.title') expect(composing?.values).toEqual({ noteid: 'N 1' })
    expect(listInputs('traffic.send')).toEqual([])
    // What was sent there becomes the answer of the tab.
    composing?.onSent?.(createOperation({ noteid: 'N 1' }))
    useOperations().composedWrite = null
    await flushPromises()
  })

  test.each([
    ['/nobody/knows', '{}', 'can’t be reviewed'],
    ['/notes/N/title?a=1&a=2', '{}', 'can’t show its query'],
    ['/notes/N/title', '{', 'its body is not JSON'],
  ])('refuses to send a request that may write and cannot be reviewed: %s %s', async (path, body, expectedText) => {
    const { place, listInputs } = await opened([tab({ method: 'POST', path, body })])
    await send()
    expect(place.text()).toContain(expectedText)
    expect(useOperations().composedWrite).toBeNull()
    expect(listInputs('traffic.send')).toEqual([])
  })

  test('keeps the parameter form and the path in sync', async () => {
    await opened([tab({ path: '/study-sets/{topicid}/tree?odd&limit=5' })])
    const fieldOf = (name: RegExp): HTMLInputElement => {
      const label = [...document.querySelectorAll('label')].find((element) => name.test(element.textContent))
      const field = label && document.getElementById(label.htmlFor)
      if (!(field instanceof HTMLInputElement)) throw new Error(`no field ${String(name)}`)
      return field
    }
    expect(fieldOf(/^limit/).value).toBe('5')
    await type(fieldOf(/^topicid/), 'S 1')
    expect(pathField().value).toBe('/study-sets/S%201/tree?odd&limit=5')
    await type(pathField(), '/study-sets/other/tree?limit=7')
    expect([fieldOf(/^topicid/).value, fieldOf(/^limit/).value]).toEqual(['other', '7'])
  })

  test('completes a typed path by the routes, and keeps the typed values and the focus', async () => {
    const { place } = await opened([tab({ method: 'GET', path: '/' })])
    const field = pathField()
    const offered = (): string[] =>
      (place.findComponent(AppAutoComplete).props('options') as readonly { label: string; text: string }[]).map(
        ({ label, text }) => `${label} ${text}`,
      )
    // Until the field has the focus, a hint covers the path that nobody has typed.
    expect(place.get('.cover').text()).toBe('Find an endpoint by path or by what it does')
    field.focus()
    await vi.waitFor(() => expect(offered()).toContain('GET /study-sets/{topicid}/tree'))
    expect(place.find('.cover').exists()).toBe(false)
    await type(field, '/notes/N%201/ti')
    await vi.waitFor(() => expect(offered()).toEqual(['POST /notes/N%201/title']))
    pressKey(field, 'ArrowDown')
    pressKey(field, 'Enter')
    await vi.waitFor(() => expect(useConsole().tab).toMatchObject({ method: 'POST', path: '/notes/N%201/title' }))
    expect([useConsole().tab?.body, document.activeElement === pathField()]).toEqual(['{}', true])
    // Words find a route, too, whose first placeholder is then selected.
    await type(field, 'tree study-sets')
    await vi.waitFor(() => expect(offered()[0]).toBe('GET /study-sets/{topicid}/tree'))
    pressKey(field, 'ArrowDown')
    pressKey(field, 'Enter')
    await vi.waitFor(() => expect(field.value).toBe('/study-sets/{topicid}/tree'))
    await vi.waitFor(() =>
      expect(field.value.slice(field.selectionStart ?? 0, field.selectionEnd ?? 0)).toBe('{topicid}'),
    )
    // A typed method is that of the request.
    await type(field, 'DELETE /status')
    expect(useConsole().tab).toMatchObject({ method: 'DELETE', path: '/status' })
  })

  test('names tabs and ids of a path by what the program knows, and keeps the path as sent', async () => {
    const noteid = '11111111-2222-4333-8444-555555555555'
    const { place } = await opened([
      tab({ path: `/notes/${noteid}` }),
      tab({ id: 't2', method: 'POST', path: '/notes/{noteid}/title' }),
      tab({ id: 't3', path: '/' }),
    ])
    const labels = (): string[] => findAllByRole('tab').map(({ textContent }) => textContent.trim())
    const requestTabs = ['notes 11111111', 'title', 'New request']
    expect(labels()).toEqual(expect.arrayContaining(requestTabs))
    expect(place.find('.cover').exists()).toBe(false)
    await readEndpoint('notes.batchGet', { body: { noteIds: [noteid] } })
    await vi.waitFor(() => expect(labels()).toContain('notes ‹Neck›'))
    expect([place.get('.cover').text(), pathField().value]).toEqual([
      expect.stringContaining('Neck'),
      `/notes/${noteid}`,
    ])
    // The path as sent is what is edited.
    pathField().focus()
    await vi.waitFor(() => expect(place.find('.cover').exists()).toBe(false))
  })

  test('reports tabs that could not be saved', async () => {
    const { place } = await opened([tab()], {
      'console.saveTabs': () => {
        throw createRefusedError('TOKEN_IN_REQUEST', 'A token.')
      },
    })
    await type(pathField(), '/x')
    await vi.waitFor(() => expect(place.text()).toContain('The open requests are not remembered'))
  })

  test('sends on Ctrl+Enter from anywhere in the place', async () => {
    const { listInputs } = await opened([tab()], { 'traffic.send': () => ({ seq: 3 }) })
    const { useShortcuts } = await import('../../../renderer/stores/shortcuts.ts')
    const stop = useShortcuts().listen(window)
    pressKey(pathField(), 'Enter', { ctrlKey: true, code: 'Enter' })
    await flushPromises()
    stop()
    expect(listInputs('traffic.send')).toHaveLength(1)
  })

  const noteBody = '{"noteid": "N1", "title": "Neck", "revision": 12345678901234567890}'
  const noteResponses = {
    'traffic.exchange': () =>
      createExchangeDetail({
        row: { seq: 7, path: '/notes/N1', endpoint: null },
        response: createCompleteBody(noteBody.length),
      }),
    'traffic.body': () => {
      const bytes = new TextEncoder().encode(noteBody)
      return { meta: { start: 0, kept: bytes.byteLength }, bytes: bytes.buffer }
    },
  }

  test('asserts a value of the answer with one action, and keeps it in the file of a saved request', async () => {
    const saved = { collection: 'mine', name: 'Note' }
    const request = { name: 'Note', method: 'GET', path: '/notes/N1', body: null, note: 'kept' }
    let collection: Collection = { id: 'mine', name: 'Mine', variables: {}, requests: [request] }
    const { place, listInputs } = await opened([tab({ path: '/notes/N1', seq: 7, saved })], {
      ...noteResponses,
      'console.collections': () => ({ folder: '/c', chosen: false, collections: [collection], unreadable: [] }),
      'console.saveCollection': (input) => {
        collection = input as Collection
        return {}
      },
    })
    await vi.waitFor(() => expect(findAllByRole('button', 'Assert this value').length).toBe(1))
    getByRole('button', 'Assert this value').click()
    await vi.waitFor(() => expect(place.get('[aria-label="Assertions"]').text()).toContain('is of type object'))
    await vi.waitFor(() => expect(place.get('[aria-label="Assertions"]').text()).toContain('1 passed'))
    const assertions = [{ kind: 'type', pointer: '', type: 'object' }]
    expect(listInputs('console.saveCollection')).toEqual([
      { id: 'mine', name: 'Mine', variables: {}, requests: [{ ...request, assertions }] },
    ])
    getByRole('button', 'Remove the assertion: the whole body is of type object').click()
    await vi.waitFor(() => expect(collection.requests[0]?.assertions).toBeUndefined())
  })

  test('tells which assertions passed, failed, were not evaluated or are invalid', async () => {
    const assertions = [
      { kind: 'status', equals: 200 },
      { kind: 'equals', pointer: '/title', value: 'Head' },
      { kind: 'equals', pointer: '/revision', value: 1 },
      { kind: 'matches', pointer: '/title', regex: '.*' },
    ]
    const { place } = await opened([tab({ path: '/notes/N1', seq: 7, assertions })], noteResponses)
    const region = place.get('[aria-label="Assertions"]')
    await vi.waitFor(() => expect(region.text()).toContain('1 passed · 1 failed · 1 not evaluated · 1 invalid'))
    expect(
      region.findAll('li').map((item) =>
        item
          .findAll('span')
          .map((part) => part.text())
          .slice(0, 3),
      ),
    ).toEqual([
      ['Passed', 'Status is 200', ''],
      ['Failed', '/title equals "Head"', 'It is "Neck"'],
      ['Not evaluated', '/revision equals 1', 'It holds a number that would be rounded'],
      ['Invalid', JSON.stringify(assertions[3]), expect.stringContaining('pattern: ')],
    ])
  })

  test('composes an assertion by hand, and keeps it in the tab of a request that is not saved', async () => {
    const { place } = await opened([tab({ path: '/notes/N1', seq: 7 })], noteResponses)
    // The first one comes from a value of the answer: assertions appear with a saved request.
    await vi.waitFor(() => expect(findAllByRole('button', 'Assert this value').length).toBe(1))
    expect(place.find('[aria-label="Assertions"]').exists()).toBe(false)
    getByRole('button', 'Assert this value').click()
    await vi.waitFor(() => expect(place.get('[aria-label="Assertions"]').text()).toContain('1 passed'))
    getByRole('button', 'Add assertion').click()
    await flushPromises()
    const status = getByRole('textbox', 'Status') as HTMLInputElement
    for (const [text, problems] of [
      ['garbage', ['A status is a whole number from 100 to 599.']],
      ['404', []],
    ] as const) {
      await type(status, text)
      expect(findAllByRole('alert').map(({ textContent }) => textContent.trim())).toEqual(problems)
      expect(status.getAttribute('aria-describedby')).toBe(findAllByRole('alert')[0]?.id ?? null)
    }
    await place.get('select[aria-label="Assert"]').setValue('matches')
    await type(getByRole('textbox', 'JSON pointer') as HTMLInputElement, '/title')
    await type(getByRole('textbox', 'Value matches') as HTMLInputElement, 'N*')
    place.get('[aria-label="Assertions"] form').element.dispatchEvent(new Event('submit', { cancelable: true }))
    await vi.waitFor(() => expect(place.get('[aria-label="Assertions"]').text()).toContain('2 passed'))
    expect(useConsole().tab?.assertions).toEqual([
      { kind: 'type', pointer: '', type: 'object' },
      { kind: 'matches', pointer: '/title', pattern: 'N*' },
    ])
  })

  test('assertions do not stay passed while a request is sent, or after it got no response', async () => {
    const assertions = [{ kind: 'status', equals: 200 }]
    let fail: (error: unknown) => void = () => undefined
    const { place } = await opened([tab({ path: '/notes/N1', seq: 7, assertions })], {
      ...noteResponses,
      'traffic.send': () => new Promise((_, reject) => (fail = reject)),
    })
    const region = place.get('[aria-label="Assertions"]')
    await vi.waitFor(() => expect(region.text()).toContain('1 passed'))
    const send = useConsole().send('t1', { method: 'GET', path: '/notes/N1', body: null })
    await vi.waitFor(() => expect(region.get('li').text()).toContain('Not sent yet'))
    fail(createRefusedError('HOST_UNREACHABLE', 'No host.'))
    await send
    await flushPromises()
    expect(region.text()).not.toContain('assed')
  })

  test('announces the outcome of a request that was sent, and of no other', async () => {
    const { place } = await opened([tab({ path: '/notes/N1', seq: 7 })], {
      ...noteResponses,
      'traffic.send': () => ({ seq: 8 }),
    })
    const region = place.get('[aria-label="Answer"]')
    await vi.waitFor(() => expect(region.text()).toContain('200'))
    const announcement = region.get('.visually-hidden[role="status"]')
    expect(announcement.text()).toBe('')
    await send()
    await vi.waitFor(() => expect(announcement.text()).toMatch(/^GET \/notes\/N1: 200/))
  })

  test('an assertion that could not be checked is not said to wait for a send', async () => {
    const assertions = [{ kind: 'status', equals: 200 }]
    const { place } = await opened([tab({ path: '/notes/N1', seq: 7, assertions })], {
      'traffic.exchange': () => {
        throw createRefusedError('EXCHANGE_UNKNOWN', 'It was removed.')
      },
    })
    await vi.waitFor(() => expect(place.get('[aria-label="Assertions"] li').text()).toContain('Not evaluated'))
  })

  test('typing in a request does not check its assertions again', async () => {
    const assertions = [{ kind: 'status', equals: 200 }]
    const { place, listInputs } = await opened([tab({ path: '/notes/N1', seq: 7, assertions })], noteResponses)
    await vi.waitFor(() => expect(place.get('[aria-label="Assertions"]').text()).toContain('1 passed'))
    const readCount = listInputs('traffic.exchange').length
    await type(pathField(), '/notes/N1?x=1')
    await flushPromises()
    expect(useConsole().tab?.path).toBe('/notes/N1?x=1')
    expect(listInputs('traffic.exchange')).toHaveLength(readCount)
  })
})
