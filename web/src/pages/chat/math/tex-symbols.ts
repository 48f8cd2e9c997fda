// TeX commands that stand for one symbol, and how they are set.

const words = (text: string): [string, string][] =>
  text
    .trim()
    .split(/\s/)
    .map((it) => {
      const at = it.indexOf('=')
      return [it.slice(0, at), it.slice(at + 1)]
    })

/** Letters: set in italics. */
export const LETTERS: ReadonlyMap<string, string> = new Map(
  words(
    `alpha=α beta=β gamma=γ delta=δ epsilon=ϵ varepsilon=ε zeta=ζ eta=η theta=θ vartheta=ϑ iota=ι kappa=κ lambda=λ mu=μ
nu=ν xi=ξ pi=π varpi=ϖ rho=ρ varrho=ϱ sigma=σ varsigma=ς tau=τ upsilon=υ phi=ϕ varphi=φ chi=χ psi=ψ omega=ω
Gamma=Γ Delta=Δ Theta=Θ Lambda=Λ Xi=Ξ Pi=Π Sigma=Σ Upsilon=Υ Phi=Φ Psi=Ψ Omega=Ω
infty=∞ emptyset=∅ varnothing=∅ ell=ℓ hbar=ℏ Re=ℜ Im=ℑ aleph=ℵ partial=∂ nabla=∇ degree=° prime=′ top=⊤ bot=⊥`,
  ),
)

/** Operators, relations, arrows and fences. */
export const OPERATORS: ReadonlyMap<string, string> = new Map(
  words(
    `times=× cdot=· div=÷ pm=± mp=∓ ast=∗ star=⋆ circ=∘ bullet=∙ oplus=⊕ otimes=⊗
le=≤ leq=≤ ge=≥ geq=≥ ll=≪ gg=≫ ne=≠ neq=≠ approx=≈ equiv=≡ sim=∼ simeq=≃ cong=≅ propto=∝
lt=< gt=> mid=∣ parallel=∥ perp=⊥ angle=∠ in=∈ notin=∉ ni=∋ subset=⊂ subseteq=⊆ supset=⊃ supseteq=⊇ cup=∪ cap=∩
setminus=∖ forall=∀ exists=∃ neg=¬ lnot=¬ land=∧ wedge=∧ lor=∨ vee=∨ therefore=∴ because=∵
to=→ rightarrow=→ leftarrow=← leftrightarrow=↔ Rightarrow=⇒ Leftarrow=⇐ Leftrightarrow=⇔ implies=⟹ iff=⟺ mapsto=↦
uparrow=↑ downarrow=↓ longrightarrow=⟶
sum=∑ prod=∏ int=∫ iint=∬ oint=∮ bigcup=⋃ bigcap=⋂
ldots=… dots=… cdots=⋯ vdots=⋮ ddots=⋱ colon=:
langle=⟨ rangle=⟩ lfloor=⌊ rfloor=⌋ lceil=⌈ rceil=⌉ vert=| lvert=| rvert=| Vert=‖ lVert=‖ rVert=‖ lbrace={ rbrace=}
%=% $=$ #=# &=& _=_ {={ }=} |=‖`,
  ),
)

/** Names of functions: set upright. */
export const FUNCTIONS: ReadonlySet<string> = new Set(
  'sin cos tan cot sec csc arcsin arccos arctan sinh cosh tanh log ln lg exp lim limsup liminf max min sup inf det dim ker arg gcd mod bmod Pr'.split(
    ' ',
  ),
)

/** In em. */
export const SPACES: ReadonlyMap<string, number> = new Map([
  [',', 0.17],
  [':', 0.22],
  [';', 0.28],
  ['!', 0],
  [' ', 0.25],
  ['quad', 1],
  ['qquad', 2],
])

export const ACCENTS: ReadonlyMap<string, string> = new Map(
  words('hat=^ widehat=^ bar=¯ overline=¯ vec=→ tilde=~ widetilde=~ dot=˙ ddot=¨'),
)

/** Commands whose argument is text. */
export const TEXTS: ReadonlySet<string> = new Set(
  'text textrm textit textbf mathrm mathit mathbf mathsf mathtt operatorname mathcal mathbb'.split(' '),
)

/** The sets of numbers, as `\mathbb` draws them. */
export const DOUBLE_STRUCK: ReadonlyMap<string, string> = new Map(words('N=ℕ Z=ℤ Q=ℚ R=ℝ C=ℂ P=ℙ H=ℍ E=𝔼'))

/** Commands that only change the size or the style. */
export const IGNORED: ReadonlySet<string> = new Set(
  'displaystyle textstyle limits nolimits big Big bigg Bigg bigl bigr Bigl Bigr left right middle'.split(' '),
)

/** Environments of rows and columns, and the fences around them. */
export const ENVIRONMENTS: ReadonlyMap<string, readonly [open: string, close: string]> = new Map([
  ['matrix', ['', '']],
  ['pmatrix', ['(', ')']],
  ['bmatrix', ['[', ']']],
  ['vmatrix', ['|', '|']],
  ['cases', ['{', '']],
  ['aligned', ['', '']],
  ['align', ['', '']],
  ['align*', ['', '']],
  ['gathered', ['', '']],
])
