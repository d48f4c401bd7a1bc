import { flushPromises } from '@vue/test-utils'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { defineComponent, h, nextTick, type Component } from 'vue'
import type { Router } from 'vue-router'
import NoHostNotice from '../../../renderer/panes/NoHostNotice.vue'
import ConnectPlace from '../../../renderer/places/connect/ConnectPlace.vue'
import HostMenu from '../../../renderer/shell/HostMenu.vue'
import ConnectionState from '../../../renderer/panes/connection/ConnectionState.vue'
import DoctorReport from '../../../renderer/panes/connection/DoctorReport.vue'
import { typedDialogCount } from '../../../renderer/components/open-layers.ts'
import ProfileDialog from '../../../renderer/places/connect/ProfileDialog.vue'
import { provideErrorRemedies } from '../../../renderer/shell/error-remedies.ts'
import { useConnection } from '../../../renderer/stores/connection.ts'
import { useHosts } from '../../../renderer/stores/hosts.ts'
import { useProfiles } from '../../../renderer/stores/profiles.ts'
import type { DoctorStep } from '../../../shared/ipc/connection.ts'
import type { ProfileView } from '../../../shared/ipc/profiles.ts'
import { findAllByRole, getByRole, installFakeServiceProcess, mountComponent } from '../../support/vue/mounting.ts'
import { createReadReply } from '../../support/vue/read-reply.ts'
import { createConnectionState } from '../../support/vue/states.ts'

afterEach(() => {
  document.body.innerHTML = ''
})

const view = (id: string, port = 1): ProfileView => ({
  profile: {
    id,
    name: `Host ${id}`,
    baseUrl: `http://127.0.0.1:${port}/bridge/v1`,
    auth: { header: 'Authorization', scheme: 'Bearer' },
    readOnly: true,
    tlsFingerprint: null,
    demo: false,
    lastConnectedAt: null,
  },
  token: { state: 'memory', boundTo: null, backend: null },
  plainRemote: false,
})
const step: DoctorStep = {
  step: 'tcp',
  result: 'failed',
  code: 'TCP_REFUSED',
  message: 'm',
  action: 'a',
  durationMs: 1,
}
const methodsOf = (page: ReturnType<typeof installFakeServiceProcess>): string[] =>
  page.calls.map(({ method }) => method)
const dialogReplies = {
  'vault.storage': () => ({ grade: 'none', backend: '' }),
  'bridge.read': () => ({}),
  'profiles.list': () => [view('a')],
  'profiles.save': () => view('a'),
  'vault.set': () => view('a').token,
  'connection.test': () => [step],
} as const
const type = async (label: string | RegExp, text: string): Promise<void> => {
  const field = findAllByRole('textbox', label)[0] ?? document.querySelector<HTMLInputElement>('input[type="password"]')
  if (!(field instanceof HTMLInputElement)) throw new Error(`no field ${String(label)}`)
  field.value = text
  field.dispatchEvent(new Event('input', { bubbles: true }))
  await nextTick()
}

describe('the profile dialog', () => {
  test('tests the entered values without saving or connecting', async () => {
    const page = installFakeServiceProcess(dialogReplies)
    mountComponent(ProfileDialog, { props: { profile: view('a') } })
    await flushPromises()
    getByRole('button', 'Test').click()
    await flushPromises()
    const call = page.calls.find(({ method }) => method === 'connection.test')
    expect(call?.input).toMatchObject({ profile: { id: 'a', baseUrl: view('a').profile.baseUrl }, token: null })
    expect(getByRole('alert').textContent).toContain('Nothing is listening')
    expect(methodsOf(page)).not.toContain('profiles.save')
    expect(methodsOf(page)).not.toContain('connection.connect')
  })

  test('saves without connecting, and connects only on request', async () => {
    installFakeServiceProcess(dialogReplies)
    const dialog = mountComponent(ProfileDialog, { props: { profile: view('a') } })
    await flushPromises()
    getByRole('button', 'Save').click()
    await flushPromises()
    document.querySelector('form')?.requestSubmit()
    await flushPromises()
    const saved = dialog.emitted<[ProfileView, boolean]>('saved') ?? []
    expect(saved.map(([, connects]) => connects)).toEqual([false, true])
  })

  test('takes no longer values than the service process, and keeps them when the page around it is clicked', async () => {
    installFakeServiceProcess(dialogReplies)
    mountComponent(ProfileDialog, { props: { profile: null } })
    await flushPromises()
    const fields = [...document.querySelectorAll<HTMLInputElement>('label > :not(span) input')]
    expect(fields.slice(0, 3).map(({ maxLength }) => maxLength)).toEqual([2048, 200, 8192])
    await type('Address', 'http://127.0.0.1:1')
    expect(typedDialogCount.value).toBe(1)
  })

  test('has input patterns that are valid regular expressions in browsers', async () => {
    installFakeServiceProcess(dialogReplies)
    mountComponent(ProfileDialog, { props: { profile: view('a') } })
    await flushPromises()
    const patterns = [...document.querySelectorAll('input[pattern]')].map(
      (field) => field.getAttribute('pattern') ?? '',
    )
    expect(patterns).toHaveLength(2)
    for (const pattern of patterns) expect(() => new RegExp(pattern, 'v')).not.toThrow()
  })
})

describe('the connection diagnosis', () => {
  test('is headed by the host that is being examined', async () => {
    installFakeServiceProcess({
      'profiles.list': () => [view('a'), view('b', 2)],
      'connection.doctor': () => new Promise(() => undefined),
    })
    mountComponent(DoctorReport)
    await useProfiles().load()
    const hosts = useHosts()
    hosts.report = { profileId: 'a', steps: [step] }
    void hosts.examine('b')
    await nextTick()
    expect(getByRole('heading').textContent).toContain('Host b')
  })

  test('disappears when the user connects to another host', async () => {
    installFakeServiceProcess({
      'profiles.list': () => [view('a'), view('b', 2)],
      'discovery.scan': () => [],
      'connection.connect': () => createConnectionState({ phase: 'unauthorized' }),
    })
    mountComponent(ConnectPlace)
    await useProfiles().load()
    useHosts().report = { profileId: 'a', steps: [step] }
    await nextTick()
    expect(document.body.textContent).toContain('Connection diagnosis')
    getByRole('button', 'Connect to Host b').click()
    await flushPromises()
    expect(document.body.textContent).not.toContain('Connection diagnosis')
  })
})

test('the button that removes a host keeps the focus while it asks, and Escape takes it back', async () => {
  const removed = vi.fn()
  installFakeServiceProcess({
    'profiles.list': () => [view('a')],
    'profiles.remove': (input) => {
      removed(input)
      return {}
    },
    'discovery.scan': () => [],
  })
  mountComponent(ConnectPlace)
  await useProfiles().load()
  await nextTick()
  const button = getByRole('button', 'Remove Host a')
  button.focus()
  button.click()
  await nextTick()
  expect(document.activeElement).toBe(button)
  expect(button.textContent.trim()).toBe('Confirm removal')
  button.dispatchEvent(new KeyboardEvent('keydown', { key: 'Escape', bubbles: true }))
  await nextTick()
  expect(getByRole('button', 'Remove Host a')).toBe(button)
  expect(removed).not.toHaveBeenCalled()
  button.click()
  button.click()
  await flushPromises()
  expect(removed).toHaveBeenCalledOnce()
})

test.each([
  ['opens the library', null, '/library'],
  ['stays at the place that was opened meanwhile', '/operations', '/operations'],
])('after connecting, the page %s', async (_, openedAddress, finalAddress) => {
  const { promise: replied, resolve: reply } = Promise.withResolvers<undefined>()
  const { promise: placeLoaded, resolve: loadPlace } = Promise.withResolvers<Component>()
  installFakeServiceProcess({
    'profiles.list': () => [view('b', 2)],
    'discovery.scan': () => [],
    'connection.connect': async () => {
      await replied
      return createConnectionState()
    },
  })
  const { $router: router } = mountComponent(ConnectPlace).vm as unknown as { $router: Router }
  router.addRoute({ path: '/operations', component: () => placeLoaded })
  await router.push('/connect')
  await useProfiles().load()
  await nextTick()
  getByRole('button', 'Connect to Host b').click()
  if (openedAddress !== null) void router.push(openedAddress)
  await flushPromises()
  reply(undefined)
  await flushPromises()
  loadPlace({ render: () => null })
  await flushPromises()
  expect(router.currentRoute.value.path).toBe(finalAddress)
})

test.each([
  ['of the connection', ConnectionState],
  ['of a place that has nothing to show', NoHostNotice],
])('a rejected token can be replaced inside the error %s', async (_, isVisible) => {
  const page = installFakeServiceProcess({ 'profiles.list': () => [view('p')], 'vault.set': () => view('p').token })
  const Page = defineComponent(() => (provideErrorRemedies(), () => h(isVisible)))
  mountComponent(Page)
  const error = { kind: 'http', code: 'UNAUTHORIZED', message: 'm', status: 401, retryable: false } as const
  useConnection().state = createConnectionState({ phase: 'unauthorized', profile: view('p').profile, error })
  await vi.waitFor(() => expect(document.querySelector('input[type="password"]')).not.toBeNull())
  await type('Token', ' mnb0.right ')
  getByRole('alert').querySelector('form')?.requestSubmit()
  await flushPromises()
  const call = page.calls.find(({ method }) => method === 'vault.set')
  expect(call?.input).toEqual({ profileId: 'p', token: ' mnb0.right ', remember: false })
})

test('the menu of the hosts opens the dialog that adds one, each time', async () => {
  installFakeServiceProcess({ ...dialogReplies, 'discovery.scan': () => [] })
  const Page = defineComponent(() => () => [h(HostMenu, { collapsed: false }), h(ConnectPlace)])
  const { $router: router } = mountComponent(Page).vm as unknown as { $router: Router }
  for (let turn = 1; turn <= 2; turn += 1) {
    getByRole('button', 'No host').click()
    await vi.waitFor(() => getByRole('menuitem', 'Add a host…').click())
    const dialog = await vi.waitFor(() => getByRole('dialog', 'Add a host'))
    // A reload does not open the dialog again.
    await vi.waitFor(() => expect(router.currentRoute.value.fullPath).toBe('/connect'))
    getByRole('button', 'Cancel', dialog).click()
    await vi.waitFor(() => expect(findAllByRole('dialog')).toEqual([]))
  }
})

test('the connection state shows how long the connection has lasted', async () => {
  installFakeServiceProcess({})
  const page = mountComponent(ConnectionState)
  useConnection().state = createConnectionState({ since: Date.now() - 14 * 60_000 })
  await nextTick()
  expect(page.text()).toContain('connected for 14 minutes')
  expect(page.text()).not.toContain('ago')
})

describe('the first start', () => {
  const demo: ProfileView = { ...view('demo'), profile: { ...view('demo').profile, demo: true } }
  const replies = {
    'discovery.scan': () => [],
    'app.startDemo': () => ({ profileId: 'demo' }),
    'connection.connect': () => createConnectionState({ profile: demo.profile }),
    'vault.storage': () => ({ grade: 'none', backend: '' }),
    'bridge.read': () => createReadReply('studySets.list', sets),
  } as const
  const sets = JSON.stringify({
    studySets: [
      { topicid: 'SMALL', title: 'Small', noteCount: 2 },
      { topicid: 'LARGE', title: 'Large', noteCount: 200 },
    ],
  })
  // The text of a choice follows its title.
  const listChoices = (name: string): HTMLElement[] => findAllByRole('button', new RegExp(`^${name}`))
  const choice = (name: string): HTMLElement => getByRole('button', new RegExp(`^${name}`))

  test.each([
    ['See a library', '/study-sets/LARGE/tree'],
    ['Run the sample panel', '/panel'],
  ])('%s leads there at once', async (name, address) => {
    installFakeServiceProcess({ ...replies, 'profiles.list': () => [] })
    const { $router: router } = mountComponent(ConnectPlace).vm as unknown as { $router: Router }
    for (const path of ['/study-sets/:id/tree', '/panel']) router.addRoute({ path, component: { render: () => null } })
    await useProfiles().load()
    await nextTick()
    choice(name).click()
    await vi.waitFor(() => expect(router.currentRoute.value.path).toBe(address))
  })

  test('a host of one’s own is added behind one choice, also by pairing', async () => {
    installFakeServiceProcess({ ...replies, 'profiles.list': () => [] })
    mountComponent(ConnectPlace)
    await flushPromises()
    choice('Connect to my host').click()
    await vi.waitFor(() => expect(getByRole('dialog').textContent).toContain('~/.config/mn-bridge/token'))
    getByRole('button', 'Pair with a device').click()
    await vi.waitFor(() => expect(getByRole('dialog').textContent).toContain('six digits. They work once'))
  })

  test('the choices stay beside the demo until they are closed, and go with a host of one’s own', async () => {
    let list = [demo]
    installFakeServiceProcess({ ...replies, 'profiles.list': () => list, 'settings.update': () => ({}) })
    mountComponent(ConnectPlace)
    await useProfiles().load()
    await nextTick()
    expect(listChoices('See a library')).toHaveLength(1)
    list = [demo, view('mine')]
    await useProfiles().load()
    await nextTick()
    expect(listChoices('See a library')).toHaveLength(0)
    list = [demo]
    await useProfiles().load()
    await nextTick()
    getByRole('button', 'Close').click()
    await nextTick()
    expect(listChoices('See a library')).toHaveLength(0)
  })
})
