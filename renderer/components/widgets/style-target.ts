/** vueuc mounts these outside naive-ui's style target; `styles/widgets.css` has their rules. */
const vueucStyleIds = ['vueuc/virtual-list', 'vueuc/overflow', 'vueuc/binder', 'vueuc/x-scroll']

/**
 * The target in which naive-ui mounts its styles. The page's CSP forbids inline style elements, so
 * each becomes a constructed style sheet; the element stays here because css-render looks for it.
 * All sheets go into the layer `widgets`, so that unlayered styles of this program win whatever
 * their specificity.
 */
class StyleTarget extends DocumentFragment {
  override insertBefore<T extends Node>(node: T, before: Node | null): T {
    // css-render puts later styles first: a component's rules override those of its parts.
    document.adoptedStyleSheets.unshift(toStyleSheet(node))
    return super.insertBefore(node, before)
  }

  override appendChild<T extends Node>(node: T): T {
    document.adoptedStyleSheets.push(toStyleSheet(node))
    return super.appendChild(node)
  }
}

function toStyleSheet(node: Node): CSSStyleSheet {
  const sheet = new CSSStyleSheet()
  sheet.replaceSync(`@layer widgets {${node.textContent ?? ''}}`)
  return sheet
}

/** Returns where naive-ui mounts its styles; the only config provider of the page takes it. */
export function getStyleTarget(): DocumentFragment {
  for (const id of vueucStyleIds) {
    // css-render looks for a `style` element with this id; another namespace makes it none.
    const placeholder = document.createElementNS('urn:mounted', 'style')
    placeholder.setAttribute('cssr-id', id)
    document.head.append(placeholder)
  }
  return new StyleTarget()
}
