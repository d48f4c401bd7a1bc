import { mount } from '@vue/test-utils'
import { createPinia } from 'pinia'
import { expect, test } from 'vitest'
import { defineComponent, h, nextTick, ref } from 'vue'
import { createMemoryHistory, createRouter } from 'vue-router'
import PlaceView from '../../../renderer/shell/PlaceView.vue'
import { createTestTranslator } from '../../support/vue/translator.ts'

test('a place that is kept alive stays hidden in the document and is reused; other places are not', async () => {
  const isRunning = ref(true)
  const Kept = defineComponent({
    props: { isShown: Boolean },
    setup: (props) => () => h('section', { id: 'kept', 'data-shown': String(props.isShown) }, h('i')),
  })
  const Other = () => h('section', { id: 'other' })
  const router = createRouter({
    history: createMemoryHistory(),
    routes: [
      { path: '/kept', component: () => Promise.resolve(Kept), meta: { staysMounted: () => isRunning.value } },
      { path: '/other', component: Other },
    ],
  })
  const go = async (path: string): Promise<void> => {
    await router.push(path)
    await nextTick()
  }
  await go('/other')
  mount(PlaceView, {
    attachTo: document.body,
    global: { plugins: [createPinia(), createTestTranslator('en'), router], stubs: { transition: false } },
  })
  const findKept = (): HTMLElement | null => document.querySelector('#kept')
  expect(findKept()).toBeNull()
  await go('/kept')
  const first = findKept()
  expect([first?.style.display, first?.dataset['shown'], document.querySelector('#other')]).toEqual(['', 'true', null])
  await go('/other')
  expect(document.querySelector('#other')).not.toBeNull()
  expect([findKept() === first, first?.style.display, first?.dataset['shown']]).toEqual([true, 'none', 'false'])
  await go('/kept')
  expect([findKept() === first, first?.style.display]).toEqual([true, ''])
  await go('/other')
  isRunning.value = false
  await nextTick()
  expect(findKept()).toBeNull()
})
