import { defineAsyncComponent } from 'vue'

/** Loads `JsonView` when JSON is first shown, because its editor is a fifth of the page's code. */
export const LazyJsonView = defineAsyncComponent(() => import('./JsonView.vue'))
