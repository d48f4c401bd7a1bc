import { mount, type ComponentMountingOptions, type VueWrapper } from '@vue/test-utils'
import { createPinia, setActivePinia } from 'pinia'
import type { Component } from 'vue'
import { createMemoryHistory, createRouter } from 'vue-router'
import type { AppLocale } from '../../../renderer/i18n/index.ts'
import type { MethodName } from '../../../shared/ipc/index.ts'
import type { CallRequest, EventMessage, CallReply } from '../../../shared/ipc/method-definition.ts'
import { toWireError } from '../../../shared/errors.ts'
import { createTestTranslator } from './translator.ts'

type CallHandler = (input: unknown, request: CallRequest) => unknown

/** A fake service process: it records calls and cancels, and can push events to the page. */
export interface FakeServiceProcess {
  readonly calls: CallRequest[]
  readonly cancelled: string[]
  push(event: EventMessage): void
}

const listeners = new Set<(event: EventMessage) => void>()

/**
 * Installs a fake service process at `window.bridgeInspector`; a method without a handler is
 * refused.
 */
export function installFakeServiceProcess(handlers: Partial<Record<MethodName, CallHandler>>): FakeServiceProcess {
  const calls: CallRequest[] = []
  const cancelled: string[] = []
  const door = {
    async call(request: CallRequest): Promise<CallReply> {
      calls.push(structuredClone(request))
      const handler = handlers[request.method as MethodName]
      try {
        if (!handler) throw new Error(`no answer for ${request.method}`)
        return { ok: true, value: await handler(request.input, request) }
      } catch (thrown) {
        return { ok: false, error: toWireError(thrown) }
      }
    },
    cancel: (id: string) => void cancelled.push(id),
    listen(listener: (event: EventMessage) => void) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
  Object.defineProperty(window, 'bridgeInspector', { value: door, configurable: true })
  return {
    calls,
    cancelled,
    push: (event) => {
      for (const listener of listeners) listener(event)
    },
  }
}

/**
 * Mounts a component with stores, translator and router, attached to the document so that focus
 * works.
 */
export function mountComponent<C extends Component>(
  component: C,
  options: ComponentMountingOptions<C> & { locale?: AppLocale; route?: string } = {},
): VueWrapper {
  const { locale = 'en', route = '/:any(.*)*', ...rest } = options
  const pinia = createPinia()
  setActivePinia(pinia)
  const router = createRouter({
    history: createMemoryHistory(),
    routes: [
      { path: route, component: { render: () => null } },
      { path: '/:rest(.*)*', component: { render: () => null } },
    ],
  })
  return mount(component as Component, {
    attachTo: document.body,
    ...(rest as object),
    // A transition stub around a dialog would hide it from the focus trap.
    global: { plugins: [pinia, createTestTranslator(locale), router], stubs: { transition: false } },
  })
}

/** Elements by role, explicit or the tag's own, as far as these tests need. */
const ROLE_SELECTORS: Readonly<Record<string, string>> = {
  button: 'button',
  textbox: 'input[type="text"],textarea',
  radio: 'input[type="radio"]',
  searchbox: 'input[type="search"]',
  link: 'a[href]',
  navigation: 'nav',
  complementary: 'aside',
  heading: 'h1,h2,h3',
  list: 'ul,ol',
  region: 'section',
}

/** Every element with a role, and with this accessible name if given. */
export function findAllByRole(role: string, name?: string | RegExp, root: ParentNode = document): HTMLElement[] {
  const tagSelector = ROLE_SELECTORS[role]
  const selector = [
    `[role="${role}"]`,
    ...(tagSelector ? tagSelector.split(',').map((tag) => `${tag}:not([role])`) : []),
  ].join(',')
  return [...root.querySelectorAll<HTMLElement>(selector)].filter((element) => {
    if (name === undefined) return true
    const accessibleName = accessibleNameOf(element)
    return typeof name === 'string' ? accessibleName === name : name.test(accessibleName)
  })
}

/** The one element with this role and name; fails if there is none, or more than one. */
export function getByRole(role: string, name?: string | RegExp, root: ParentNode = document): HTMLElement {
  const matches = findAllByRole(role, name, root)
  const [first] = matches
  if (!first || matches.length > 1) throw new Error(`${matches.length} elements of role ${role} named ${String(name)}`)
  return first
}

function accessibleNameOf(element: HTMLElement): string {
  const labelled = element.getAttribute('aria-label')
  if (labelled !== null) return labelled
  const labelling = document.getElementById(element.getAttribute('aria-labelledby') ?? '')
  if (labelling) return labelling.textContent.trim()
  if (element.id !== '') {
    const label = document.querySelector(`label[for="${element.id}"]`)
    if (label) return label.textContent.trim()
  }
  return (element.closest('label') ?? element).textContent.trim().replace(/\s+/g, ' ')
}

/** Sends a key to the focused element. */
export function pressKey(element: Element, key: string, init: KeyboardEventInit = {}): void {
  element.dispatchEvent(
    new KeyboardEvent('keydown', { key, code: `Key${key.toUpperCase()}`, bubbles: true, cancelable: true, ...init }),
  )
}
