import { mount } from '@vue/test-utils'
import { createPinia } from 'pinia'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, test, vi } from 'vitest'
import { createApp, getCurrentInstance, h, inject, nextTick, ref, watch } from 'vue'
import { defineStore } from '../../renderer/stores/define-store.ts'

// Vue keeps what it tells its developer tools for a while, except in this one.
vi.hoisted(() => Object.defineProperty(navigator, 'userAgent', { value: 'jsdom' }))

setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc') as () => void

test('a store does not keep the component that used it first', async () => {
  const source = ref(0)
  const events: string[] = []
  let instance: WeakRef<object> | undefined
  let isRestored = false
  const useCounter = defineStore('counter', () => {
    watch(source, (value) => events.push(`store ${value}`))
    return { unit: inject('unit') }
  })
  const component = {
    setup() {
      const user = getCurrentInstance()
      instance = new WeakRef(user ?? {})
      const { unit } = useCounter()
      isRestored = getCurrentInstance() === user
      watch(source, (value) => events.push(`component ${value}`))
      return () => unit as string
    },
  }
  const isShown = ref(true)
  const app = createApp(() => (isShown.value ? h(component) : 'hidden'))
  app.use(createPinia()).provide('unit', 'cards')
  const root = document.createElement('div')
  app.mount(root)
  expect(root.textContent).toBe('cards')
  source.value = 1
  await nextTick()
  isShown.value = false
  await nextTick()
  expect(root.textContent).toBe('hidden')
  source.value = 2
  await nextTick()
  expect(events).toEqual(['store 1', 'component 1', 'store 2'])
  await new Promise((resolve) => setImmediate(resolve))
  collectGarbage()
  expect(isRestored).toBe(true)
  expect(instance?.deref() === undefined).toBe(true)
})

test('errors of a store reach who uses it, and those of its watchers the handler of the app', async () => {
  const source = ref(0)
  const handled: unknown[] = []
  const useWatching = defineStore('watching', () => {
    watch(source, () => {
      throw new Error('watched')
    })
    return {}
  })
  const useFailing = defineStore('failing', (): object => {
    throw new Error('set up')
  })
  const component = {
    setup() {
      useWatching()
      expect(() => useFailing()).toThrow('set up')
      return () => null
    },
  }
  const config = { errorHandler: (error: unknown) => handled.push(error) }
  mount(component, { global: { plugins: [createPinia()], config } })
  source.value = 1
  await nextTick()
  expect(handled).toEqual([new Error('watched')])
})
