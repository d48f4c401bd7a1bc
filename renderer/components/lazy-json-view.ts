import { defineAsyncComponent } from 'vue'

/**
 * `JsonView` is loaded when JSON is first shown, because its editor is a fifth of the page's code.
 */
export const LazyJsonView = defineAsyncComponent(() => import('./JsonView.vue'))
