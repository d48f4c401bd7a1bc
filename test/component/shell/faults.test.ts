import { afterEach, describe, expect, test, vi } from 'vitest'
import { createApp, defineComponent, h, nextTick, ref, shallowRef } from 'vue'
import { installFaultHandlers } from '../../../renderer/fault-handlers.ts'
import FaultBoundary from '../../../renderer/shell/FaultBoundary.vue'
import { onReload } from '../../../renderer/stores/resource.ts'
import { addRecentResponse } from '../../../renderer/stores/recent-responses.ts'
import { reportFault } from '../../../renderer/stores/page-faults.ts'
import { AppError } from '../../../shared/errors.ts'
import { getByRole, installFakeServiceProcess, mountComponent } from '../../support/vue/mounting.ts'

afterEach(() => {
  document.body.innerHTML = ''
  vi.restoreAllMocks()
})

const responses = { 'app.reportFault': () => ({}) }
const quiet = (): void => void vi.spyOn(console, 'error').mockImplementation(() => undefined)
const meta = {
  exchangeId: 'e1',
  endpoint: 'status.get',
  method: 'GET',
  path: '/status',
  status: 200,
  contentType: 'application/json',
  headers: {},
  durationMs: 1,
  receivedAt: 1,
  epoch: 1,
  byteLength: 1,
}

/** A part that cannot be rendered while `broken`. */
function place() {
  const broken = ref(true)
  const faultyItem = shallowRef(1)
  const part = defineComponent(() => () => {
    if (broken.value) throw new Error('no such member')
    return h('p', { class: 'drawn' }, 'here')
  })
  const wholePlace = defineComponent(() => () => [
    h(FaultBoundary, { part: 'place', resetKey: faultyItem.value }, { default: () => h(part) }),
    h('nav', 'beside'),
  ])
  return { broken, faultyItem, wholePlace }
}

describe('safety 54: a component that cannot be rendered', () => {
  test('is replaced by a message, is reported, and does not affect other components', async () => {
    quiet()
    const { calls } = installFakeServiceProcess(responses)
    mountComponent(place().wholePlace)
    await nextTick()
    expect(getByRole('alert').textContent).toContain('This page could not be displayed')
    expect(getByRole('alert').textContent).toContain('no such member')
    expect(document.querySelector('nav')?.textContent).toBe('beside')
    expect(calls.map(({ method, input }) => [method, input])).toMatchObject([
      ['app.reportFault', { kind: 'place', message: 'Error: no such member' }],
    ])
  })

  test('is rendered again once its data has been reloaded', async () => {
    quiet()
    installFakeServiceProcess(responses)
    const { broken, wholePlace } = place()
    const stop = onReload(() => void (broken.value = false))
    mountComponent(wholePlace)
    await nextTick()
    getByRole('button', 'Reload').click()
    await vi.waitFor(() => expect(document.querySelector('.drawn')).not.toBeNull())
    expect(document.querySelector('[role=alert]')).toBeNull()
    stop()
  })

  test('is rendered again when it shows something else', async () => {
    quiet()
    installFakeServiceProcess(responses)
    const { broken, faultyItem, wholePlace } = place()
    mountComponent(wholePlace)
    await nextTick()
    broken.value = false
    faultyItem.value = 2
    await nextTick()
    await nextTick()
    expect(document.querySelector('.drawn')).not.toBeNull()
  })

  test('shows the last responses as they were sent', async () => {
    quiet()
    installFakeServiceProcess(responses)
    const raw = new TextEncoder().encode('{"app": 7}').buffer
    addRecentResponse(meta, raw)
    mountComponent(place().wholePlace)
    await nextTick()
    getByRole('button', 'GET /status').click()
    await vi.waitFor(() => expect(document.querySelector('section.json')).not.toBeNull())
  })

  test('stays intact if only an event handler fails, which is reported', async () => {
    quiet()
    const { calls } = installFakeServiceProcess(responses)
    const part = defineComponent(
      () => () =>
        h(
          'button',
          {
            onClick: () => {
              throw new Error('a click')
            },
          },
          'press',
        ),
    )
    const observations: unknown[] = []
    const wrapper = mountComponent(
      defineComponent(() => () => h(FaultBoundary, { part: 'place', resetKey: 1 }, { default: () => h(part) })),
    )
    wrapper.vm.$.appContext.config.errorHandler = (error) => void observations.push(error)
    getByRole('button', 'press').click()
    await nextTick()
    expect(document.querySelector('[role=alert]')).toBeNull()
    expect(observations).toHaveLength(1)
    expect(calls).toEqual([])
  })
})

describe('an uncaught error', () => {
  test('in a component, a script or a promise is reported once, and truncated', async () => {
    quiet()
    const { calls } = installFakeServiceProcess(responses)
    const page = new EventTarget()
    const app = createApp({ render: () => null })
    installFaultHandlers(app, page as Window)
    app.config.errorHandler?.(new Error('one'), null, 'render function')
    for (const message of ['two', 'two', 'ResizeObserver loop limit exceeded']) {
      page.dispatchEvent(Object.assign(new Event('error'), { message, error: null }))
    }
    page.dispatchEvent(Object.assign(new Event('unhandledrejection'), { reason: 'x'.repeat(9_999) }))
    const cancelled = new AppError({ kind: 'cancelled', message: 'Cancelled.', retryable: true })
    page.dispatchEvent(Object.assign(new Event('unhandledrejection'), { reason: cancelled }))
    await nextTick()
    const inputs = calls.map(({ input }) => input as { kind: string; message: string })
    expect(inputs.map(({ kind, message }) => [kind, message.length])).toEqual([
      ['component', 'Error: one'.length],
      ['script', 3],
      ['promise', 2_000],
    ])
  })

  test('is not reported if only the service process does not respond', async () => {
    const unhandled: unknown[] = []
    const onRejection = (reason: unknown): void => void unhandled.push(reason)
    process.on('unhandledRejection', onRejection)
    const { calls } = installFakeServiceProcess({})
    reportFault('script', new Error('three'), 'here')
    await new Promise((resolve) => setTimeout(resolve))
    process.off('unhandledRejection', onRejection)
    expect(unhandled).toEqual([])
    expect(calls.map(({ method }) => method)).toEqual(['app.reportFault'])
  })
})
