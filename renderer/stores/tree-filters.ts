import { defineStore } from 'pinia'
import { computed, shallowRef, type Ref } from 'vue'

/** The filter text of each study set's tree, as long as the page lives: what was typed for one set says nothing about another. */
export const useTreeFilters = defineStore('tree-filters', () => {
  const texts = shallowRef<ReadonlyMap<string, string>>(new Map())

  /** The text for the study set that is open now; follows when another one is opened. */
  function of(topicid: Ref<string>) {
    return computed({
      get: () => texts.value.get(topicid.value) ?? '',
      set: (text: string) => (texts.value = new Map([...texts.value, [topicid.value, text]])),
    })
  }

  return { of }
})
