//! An enum of optimizers is an optimizer.

/// Implements [`Optimizer`](super::Optimizer) for an enum whose variants each hold one.
macro_rules! delegate {
    ($any:ident: $($variant:ident),* $(,)?) => {
        impl $any {
            fn inner(&self) -> &dyn Optimizer {
                match self {
                    $(Self::$variant(optimizer) => optimizer,)*
                }
            }

            fn inner_mut(&mut self) -> &mut dyn Optimizer {
                match self {
                    $(Self::$variant(optimizer) => optimizer,)*
                }
            }
        }

        impl Optimizer for $any {
            fn ask(&mut self) -> DMatrix<f64> {
                self.inner_mut().ask()
            }

            fn tell(&mut self, loss: &[f64]) {
                self.inner_mut().tell(loss);
            }

            fn center(&self) -> DVector<f64> {
                self.inner().center()
            }

            fn diagnostics(&self) -> Diagnostics {
                self.inner().diagnostics()
            }

            fn stop(&self) -> Option<StopReason> {
                self.inner().stop()
            }
        }
    };
}
pub(super) use delegate;
