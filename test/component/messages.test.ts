import { afterEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { nextTick } from 'vue'
import ErrorPanel from '../../renderer/components/ErrorPanel.vue'
import FindingsStrip from '../../renderer/panes/FindingsStrip.vue'
import StaleNotice from '../../renderer/panes/StaleNotice.vue'
import { useConnection } from '../../renderer/stores/connection.ts'
import { AppError, createRefusedError } from '../../shared/errors.ts'
import type { JsonFinding } from '../../shared/json/findings.ts'
import { getByRole, mountComponent } from '../support/vue/mounting.ts'
import { createConnectionState } from '../support/vue/states.ts'
import { setVisibility } from '../support/vue/visibility.ts'

afterEach(() => {
  document.body.innerHTML = ''
})

describe('an error message', () => {
  test('of the host keeps its code and text in every language', () => {
    const error = new AppError({
      kind: 'host',
      code: 'NOT_CONNECTED',
      message: 'Fenster zu',
      status: 409,
      retryable: false,
    })
    mountComponent(ErrorPanel, { props: { error }, locale: 'zh-CN' })
    const { textContent } = getByRole('alert')
    expect(textContent).toContain('NOT_CONNECTED')
    expect(textContent).toContain('Fenster zu')
    expect(textContent).toContain('HTTP 409')
  })

  test('of this program is translated by its code, with its details', () => {
    mountComponent(ErrorPanel, {
      props: { error: createRefusedError('PARAM_MISSING', 'english', { name: 'topicid' }) },
      locale: 'zh-CN',
    })
    const { textContent } = getByRole('alert')
    expect(textContent).toContain('缺少必需的参数“topicid”')
    expect(textContent).toContain('PARAM_MISSING')
  })

  test('without a translation shows its own text', () => {
    mountComponent(ErrorPanel, { props: { error: createRefusedError('NEW_CODE', 'Something new.') } })
    expect(getByRole('alert').textContent).toContain('Something new.')
  })

  test('shows details as plain text', () => {
    const error = new AppError({
      kind: 'host',
      code: 'X',
      message: 'm',
      retryable: false,
      details: '<img src=x onerror=1>',
    })
    mountComponent(ErrorPanel, { props: { error } })
    expect(document.querySelector('img')).toBeNull()
    expect(document.querySelector('pre')?.textContent).toBe('<img src=x onerror=1>')
  })

  test('of any length is rendered in part, and in full on request', async () => {
    const message = `begin ${'x'.repeat(60_000)} end`
    const details = Array.from({ length: 5_000 }, (_, n) => n)
    const error = new AppError({ kind: 'host', code: 'X', message, retryable: false, details, cut: true })
    mountComponent(ErrorPanel, { props: { error } })
    const getAlertText = (): string => getByRole('alert').textContent ?? ''
    expect(getAlertText().length).toBeLessThan(6_000)
    expect(getAlertText()).toContain('begin xxx')
    expect(getAlertText()).toContain('longer than what is kept')
    getByRole('button', `Show all ${message.length.toLocaleString('en')} characters`).click()
    await nextTick()
    expect(getAlertText()).toContain(message)
    getByRole('button', 'Show less').click()
    await nextTick()
    expect(getAlertText()).not.toContain(message)
  })

  test('offers a retry only if there is a listener for it', () => {
    const onRetry = vi.fn()
    mountComponent(ErrorPanel, { props: { error: createRefusedError('A', 'a'), onRetry } })
    getByRole('button', 'Try again').click()
    expect(onRetry).toHaveBeenCalledOnce()
    document.body.innerHTML = ''
    mountComponent(ErrorPanel, { props: { error: createRefusedError('A', 'a') } })
    expect(() => getByRole('button', 'Try again')).toThrow()
  })

  test('retries no earlier than the host allows, even if the page was hidden meanwhile', async () => {
    onTestFinished(() => void vi.useRealTimers().restoreAllMocks())
    vi.useFakeTimers({ now: 1_000_000 })
    const busy = { kind: 'host', code: 'BUSY', message: 'm', retryable: true, retryAfterSeconds: 61 } as const
    const page = mountComponent(ErrorPanel, { props: { error: new AppError(busy), onRetry: () => undefined } })
    const button = (): HTMLButtonElement => getByRole('button', 'Try again') as HTMLButtonElement
    expect(getByRole('alert').textContent).toContain('61 s')
    await vi.advanceTimersByTimeAsync(1_000)
    expect(getByRole('alert').textContent).toContain('60 s')
    // Otherwise a screen reader would read the whole message again each second.
    expect(getByRole('alert').querySelector('[aria-live="off"]')?.textContent).toContain('60 s')
    expect(button().disabled).toBe(true)
    await setVisibility('hidden')
    expect(vi.getTimerCount()).toBe(0)
    vi.setSystemTime(1_061_000)
    await setVisibility('visible')
    expect(button().disabled).toBe(false)
    page.unmount()
  })
})

describe('data problems', () => {
  const findings: JsonFinding[] = [
    {
      kind: 'unsafe-number',
      path: '/nodes/3/id',
      raw: '12345678901234567890',
      rounded: '12345678901234567000',
      offset: 90,
    },
    { kind: 'unsafe-number', path: '/nodes/4/id', raw: '1e999', rounded: 'Infinity', offset: 120 },
    { kind: 'duplicate-key', path: '/a', key: 'b', offsets: [1, 20] },
    { kind: 'invalid-utf8', offset: 7 },
    { kind: 'schema', path: '', expected: 'object', actual: 'undefined' },
    {
      kind: 'entry',
      path: '/items/0/noteid',
      expected: 'string',
      actual: 'number',
      rawText: { text: '{}', isTruncated: true },
    },
  ]

  test('safety 37: are summed up, and listed with their locations when opened', async () => {
    mountComponent(FindingsStrip, { props: { findings, findingTotal: 9 } })
    // No landmark: a place with several answers has several of them under one name.
    getByRole('group', 'Data problems in this response')
    const toggle = getByRole('button')
    expect(toggle.textContent).toContain('2 numbers that JavaScript can’t represent · 1 duplicate key · Invalid UTF-8')
    expect(toggle.getAttribute('aria-expanded')).toBe('false')
    toggle.click()
    await nextTick()
    const items = [...document.querySelectorAll('li')].map((item) => item.textContent)
    expect(items).toHaveLength(7)
    expect(items[0]).toContain('/nodes/3/id')
    expect(items[0]).toContain('12345678901234567890')
    expect(items[0]).toContain('12345678901234567000')
    expect(items[4]).toContain('Should be object, but is missing.')
    expect(items[6]).toContain('3 more problems')
  })

  test('safety 54: show an entry that was left out as it was sent, and copy it', async () => {
    const writeText = vi.fn(() => Promise.resolve())
    vi.stubGlobal('navigator', { clipboard: { writeText } })
    mountComponent(FindingsStrip, { props: { findings: findings.slice(5), findingTotal: 3, omittedCount: 3 } })
    const toggle = getByRole('button')
    expect(toggle.textContent).toContain('3 entries don’t fit the contract')
    toggle.click()
    await nextTick()
    const item = document.querySelector('li')
    expect(item?.textContent).toContain('/items/0/noteid')
    expect(item?.textContent).toContain('Should be string, but is number. The whole entry was left out.')
    expect(item?.querySelector('pre')?.textContent).toBe('{}')
    getByRole('button', 'Copy as sent').click()
    await vi.waitFor(() => expect(writeText).toHaveBeenCalledWith('{}'))
    vi.unstubAllGlobals()
  })

  test('are not mentioned if there are none', () => {
    mountComponent(FindingsStrip, { props: { findings: [] } })
    expect(document.querySelector('section')).toBeNull()
  })
})

test('data that were changed say that the host is gone, too', async () => {
  const change = {
    ...{ at: 1, cause: null, matters: null, isCertain: true },
    fact: { name: 'noteCount', from: '1', to: '2' },
    ids: { cards: [], sets: [], documents: [], bundles: [] },
  }
  mountComponent(StaleNotice, { props: { readAt: Date.now(), change } })
  useConnection().state = createConnectionState({ phase: 'offline' })
  await nextTick()
  expect(getByRole('status').textContent).toMatch(/^Changed since it was read.*The host doesn’t respond/)
  useConnection().state = createConnectionState()
  await nextTick()
  expect(getByRole('status').textContent).not.toContain('respond')
})

test('data read before a restart is marked and can be reloaded', async () => {
  const onReload = vi.fn()
  mountComponent(StaleNotice, { props: { readAt: Date.now(), reason: 'host-restarted', onReload } })
  useConnection().state = createConnectionState()
  await nextTick()
  expect(getByRole('note').textContent).toContain('Read before the host restarted')
  getByRole('button', 'Reload').click()
  expect(onReload).toHaveBeenCalledOnce()
})
