"""Keras: what does another dtype policy do to a training step on one TPU v5e?

    pip install keras jax libtpu hloroof
    python examples/recipes/keras_model.py

With the backend jax, a Keras model is a function of its variables (stateless_call), which compiles as any other.
"""

import os

os.environ["KERAS_BACKEND"] = "jax"
os.environ.setdefault("JAX_PLATFORMS", "cpu")

import jax
import keras

import hloroof.jax

BATCH = 256


def step_of(policy):
    """The training step of a small vision transformer, and the shapes of what it takes."""
    keras.utils.clear_session()
    keras.config.set_dtype_policy(policy)
    image = keras.Input((224, 224, 3))
    x = keras.layers.Conv2D(384, 16, strides=16)(image)
    x = keras.layers.Reshape((196, 384))(x)
    for _ in range(2):
        y = keras.layers.LayerNormalization()(x)
        x = x + keras.layers.MultiHeadAttention(6, 64)(y, y)
        y = keras.layers.LayerNormalization()(x)
        x = x + keras.layers.Dense(384)(keras.layers.Dense(1536, activation="gelu")(y))
    x = keras.layers.GlobalAveragePooling1D()(x)
    model = keras.Model(image, keras.layers.Dense(1000, dtype="float32")(x))
    optimizer = keras.optimizers.AdamW(1e-3)
    optimizer.build(model.trainable_variables)
    loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)

    def train_step(trainable, fixed, moments, images, labels):
        def value(trainable):
            logits, changed = model.stateless_call(trainable, fixed, images, training=True)
            return loss(labels, logits), changed

        (result, fixed), slope = jax.value_and_grad(value, has_aux=True)(trainable)
        trainable, moments = optimizer.stateless_apply(moments, slope, trainable)
        return trainable, fixed, moments, result

    groups = (model.trainable_variables, model.non_trainable_variables, optimizer.variables)
    states = [[jax.ShapeDtypeStruct(v.shape, v.dtype) for v in variables] for variables in groups]
    images, labels = jax.ShapeDtypeStruct((BATCH, 224, 224, 3), "float32"), jax.ShapeDtypeStruct((BATCH,), "int32")
    return train_step, (*states, images, labels)


predictions = {}
for policy in ("float32", "mixed_bfloat16"):
    function, arguments = step_of(policy)
    p = hloroof.jax.compile_for(function, arguments, "tpu_v5e", donate_argnums=(0, 1, 2)).predict()
    predictions[policy] = p
    print(f"{policy:15} {p.step_seconds * 1e3:7.2f} ms  bound by {p.bound}, peak memory {p.memory.hbm_peak_bytes / 2**30:.2f} GiB")
print("the longest ops of mixed_bfloat16:")
for op in predictions["mixed_bfloat16"].top_ops(4):
    print(f"{op.exposed_seconds * 1e3:7.2f} ms  {op.bound:5} {op.op_name}")
