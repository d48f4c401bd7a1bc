import { mount } from '@vue/test-utils'
import { createPinia } from 'pinia'
import { expect, test } from 'vitest'
import { getCurrentInstance, inject, nextTick, ref, watch, type ComponentInternalInstance } from 'vue'
import { defineStore } from '../../renderer/stores/define-store.ts'

test('a store does not keep the component that used it first', async () => {
  const source = ref(0)
  const seen: string[] = []
  let storeInstance: ComponentInternalInstance | null = null
  const useCounter = defineStore('counter', () => {
    storeInstance = getCurrentInstance()
    watch(source, (value) => seen.push(`store ${value}`))
    return { unit: inject('unit') }
  })
  const component = {
    setup() {
      const own = getCurrentInstance()
      const { unit } = useCounter()
      expect(getCurrentInstance()).toBe(own)
      watch(source, (value) => seen.push(`component ${value}`))
      return () => unit as string
    },
  }
  const wrapper = mount(component, { global: { plugins: [createPinia()], provide: { unit: 'cards' } } })
  expect(wrapper.text()).toBe('cards')
  expect(storeInstance).not.toBe(wrapper.vm.$)
  source.value = 1
  await nextTick()
  wrapper.unmount()
  source.value = 2
  await nextTick()
  expect(seen).toEqual(['store 1', 'component 1', 'store 2'])
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
