import fc from 'fast-check'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { nextTick } from 'vue'
import CollectionItem from '../../renderer/places/console/CollectionItem.vue'
import NamedId from '../../renderer/panes/NamedId.vue'
import RequestPath from '../../renderer/panes/RequestPath.vue'
import { useConnection } from '../../renderer/stores/connection.ts'
import { getByRole, installFakeServiceProcess, mountComponent } from '../support/vue/mounting.ts'
import { createConnectionState } from '../support/vue/states.ts'

const NOTE = '2F434250-51B5-49D9-8607-E9C650C67873'
const HOST = 'http://127.0.0.1:42340/bridge/v1'

afterEach(() => {
  document.body.innerHTML = ''
})

/** A host that has this title for every card. */
const installHost = (title: unknown) =>
  installFakeServiceProcess({
    'bridge.read': (input) => {
      const { endpoint, body } = input as { endpoint: string; body?: { noteIds: string[] } }
      const value = { items: (body?.noteIds ?? []).map((noteid) => ({ noteid, title })) }
      return {
        meta: {
          ...{ exchangeId: 'e', endpoint, method: 'POST', path: `/${endpoint}`, status: 200, headers: {}, epoch: 1 },
          ...{ contentType: 'application/json', receivedAt: Date.now(), durationMs: 1, byteLength: 9 },
        },
        bytes: new TextEncoder().encode(JSON.stringify(value)).buffer,
      }
    },
  })
async function connect(): Promise<void> {
  useConnection().state = createConnectionState()
  await nextTick()
}
/** The text that assistive technology reads. */
function getSpokenText(element: Element): string {
  const copy = element.cloneNode(true) as Element
  for (const hidden of copy.querySelectorAll('[aria-hidden="true"]')) hidden.remove()
  return copy.textContent
}

describe('the path of a request', () => {
  const path = `/notes/${NOTE}/blank-bands`

  test('shows the name of its card, and contains the whole path once for assistive technology', async () => {
    installHost('颈椎 C2')
    const view = mountComponent(RequestPath, { props: { method: 'POST', path, host: HOST, showsMethod: true } })
    expect(view.text()).toBe(`POST ${path}`)
    await connect()
    await vi.waitFor(() => expect(view.text()).toContain('颈椎 C2'))
    expect(view.text()).toContain(`POST ${path}`)
    expect(getSpokenText(view.element)).toBe(`POST ${path}, 颈椎 C2`)
    expect(view.get('[aria-hidden="true"]').text()).toBe('POST /notes/颈椎 C2/blank-bands')
    expect(view.attributes('title')).toBe(path)
  })

  test('says the whole path once, also where the end of the query is apart', () => {
    const word = fc.string({ unit: fc.constantFrom('a', 'b', '=', '&', '%20', '?'), maxLength: 30 })
    fc.assert(
      fc.property(word, (query) => {
        const view = mountComponent(RequestPath, { props: { method: 'GET', path: `/decks?${query}` } })
        expect(getSpokenText(view.element)).toBe(`/decks?${query}`)
        view.unmount()
      }),
      { numRuns: 40 },
    )
  })

  test('keeps the ids of another host, and asks nothing about them', async () => {
    const { calls } = installHost('颈椎 C2')
    const view = mountComponent(RequestPath, { props: { method: 'POST', path, host: 'http://other.example' } })
    await connect()
    await new Promise((resolve) => setTimeout(resolve, 400))
    expect(view.text()).toBe(path)
    expect(JSON.stringify(calls)).not.toContain(NOTE)
  })

  test('isolates a name that is written from right to left', async () => {
    installHost('עברית')
    const view = mountComponent(RequestPath, { props: { method: 'POST', path } })
    await connect()
    await vi.waitFor(() => expect(view.find('bdi').text()).toBe('עברית'))
    expect(view.get('[aria-hidden="true"]').attributes('dir')).toBe('ltr')
  })
})

describe('an id', () => {
  test('with a name copies the id', async () => {
    installHost('颈椎 C2')
    const writeText = vi.fn(() => Promise.resolve())
    vi.stubGlobal('navigator', { ...navigator, clipboard: { writeText } })
    mountComponent(NamedId, { props: { id: NOTE, kind: 'card', label: 'note id' } })
    await connect()
    await vi.waitFor(() => getByRole('button', `Copy note id: ${NOTE} (颈椎 C2)`))
    const button = getByRole('button', /^Copy note id/)
    expect(button.textContent).toContain('颈椎 C2')
    expect(button.textContent).toContain(NOTE)
    button.click()
    await vi.waitFor(() => expect(writeText).toHaveBeenCalledWith(NOTE))
    vi.unstubAllGlobals()
  })

  test('of another host has the name that was recorded with it', async () => {
    installHost('As it is called here')
    const props = { id: NOTE, kind: 'card' as const, host: 'http://other.example', recordedName: 'As it was' }
    const view = mountComponent(NamedId, { props })
    await connect()
    await new Promise((resolve) => setTimeout(resolve, 400))
    expect(view.text()).toBe(`As it was ${NOTE}`)
  })
})

describe('a saved request', () => {
  const request = { method: 'GET', path: `/notes/${NOTE}/render?format=png`, name: '', note: '', body: null }
  const collection = {
    ...{ id: 'c', name: 'Mine', file: 'c.json', variables: {} },
    requests: [
      { ...request, name: `GET /notes/${NOTE}/render` },
      { ...request, name: 'My picture' },
    ],
  }

  test('that was given no name of its own shows the name of its card, and its method once', async () => {
    installHost('颈椎 C2')
    mountComponent(CollectionItem as never, { props: { collection } as never })
    await connect()
    await vi.waitFor(() => getByRole('button', /颈椎 C2/))
    expect(getSpokenText(getByRole('button', /颈椎 C2/))).toBe(`GET/notes/${NOTE}/render, 颈椎 C2`)
    expect(getByRole('button', 'GETMy picture').textContent).toContain('My picture')
  })
})
